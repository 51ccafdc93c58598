"""Turn what tau2-bench found into items, and into a file that is the same in every run."""

EMPTY = "must have either content or tool calls"
"""What upstream says of an answer without a word, when it has asked again three times."""

REFUSED = (400, 413, 422)
"""Statuses that speak of the request and not of the endpoint: too long, say."""

CLOCK = {"__all__": {"timestamp"}}
TIMES = {"timestamp": True, "start_time": True, "end_time": True, "duration": True, "messages": CLOCK}
VOLATILE = {
    "timestamp": True,
    "tasks": {"__all__": {"initial_state": {"message_history": CLOCK}}},
    "simulations": {"__all__": {"id": True, **TIMES}},
}


def by_endpoint(error):
    """Tell whether it is the endpoint that broke a simulation.

    LiteLLM's errors are errors of openai; the other types come of answers that are no chat completions.
    """
    if isinstance(error, (TypeError, IndexError, AttributeError)) or EMPTY in str(error):
        return True
    return any(_of_openai(kind) for kind in type(error).__mro__)


def status_of(error):
    """Give the HTTP status that the endpoint answered with, None where it was another fault; LiteLLM's is made up."""
    while error is not None and not (_of_openai(type(error)) and hasattr(error, "status_code")):
        error = error.__cause__ or error.__context__
    return error and error.status_code


def said(error):
    """Say in one line what broke a simulation."""
    if not by_endpoint(error):
        return f"{type(error).__name__}: {error}".splitlines()[0][:500]
    status = f"status {status_of(error)}: " if status_of(error) else ""
    return f"endpoint: {status}{str(error).strip().splitlines()[0][:500]}"


def _of_openai(kind):
    return kind.__module__.partition(".")[0] == "openai"


def item(simulation, trials, broken):
    """Make the record of one simulation; `broken` says by task and seed why it did not come to an end."""
    record = {"id": simulation.task_id + (f" trial {simulation.trial + 1}" if trials > 1 else "")}
    if simulation.skipped:
        return {**record, "error": broken[simulation.task_id, simulation.seed]}
    record.update(score=simulation.reward_info.reward, ended=simulation.termination_reason.value)
    usage = [message.usage for message in simulation.messages if message.role == "assistant" and message.usage]
    tokens = {kind: sum(one[f"{kind}_tokens"] for one in usage) for kind in ("prompt", "completion")}
    return {**record, "tokens": tokens} if any(tokens.values()) else record


def lasting(results):
    """Write the results as JSON, without times and random ids."""
    return results.model_dump_json(indent=1, exclude=VOLATILE)
