"""Which of MCPMark's `success: false` are the model's: it says so of whatever went wrong."""

import json
import re

from benchrouter.sdk import EndpointError

# How an agent ends that had its chance: too many turns, too much text, too slow, arguments that are no JSON.
OF_THE_MODEL = re.compile(
    r"max turns|context ?window|execution timed out after|line \d+ column \d+ \(char \d+\)", re.IGNORECASE
)
OF_THE_ENDPOINT = re.compile(
    r"litellm|rate ?limit|quota|account balance|authentication failed|connection refused|internal server error"
    r"|unavailable|apiconnection|llm",
    re.IGNORECASE,
)
# What a verification or a tool says where not the model's work is at fault but what it works in.
BROKEN = re.compile(
    r"OperationalError|ConnectionError|ConnectionRefusedError|net::ERR_\w+|timed out after 300s"
    r"|Executable doesn't exist|[Bb]rowser \S{0,20} ?is not installed|(?:[Pp]age|[Tt]arget|[Bb]rowser) (?:has )?crashed"
    r"|Error: Connection closed"
)


def verdict(task, files, status):
    """Judge what a run of one task left: exactly one meta.json, of this task; raise EndpointError for an outage."""
    if len(files) != 1:
        return {"error": f"the pipeline ended with {status} and left {len(files)} results instead of one"}
    try:
        meta = json.loads(files[0].read_text(encoding="utf-8"))
        name, result = meta["task_name"], meta["execution_result"]
        success, said = result["success"], result.get("error_message")
    except (OSError, ValueError, KeyError, TypeError) as error:
        return {"error": f"{files[0].name} is no result of the pipeline: {error!r}"}
    if name != task.replace("/", "__", 1):
        return {"error": f"the pipeline ran {name} instead"}
    turns = meta.get("turn_count") or 0
    record = {"turns": turns, **tokens(meta.get("token_usage") or {})}
    # An agent that never came to a turn has done nothing, whatever the verification thinks of it.
    if said and (turns < 1 or not (success or OF_THE_MODEL.search(said))):
        if OF_THE_ENDPOINT.search(said):
            raise EndpointError(said[:500])
        return {"error": f"the pipeline says: {said[:500]}", **record}
    broken = None if success else what_broke(result.get("verification_error"), files[0].with_name("messages.json"))
    if broken:
        return {"error": f"what the task works in broke: {broken}", **record}
    return {"score": int(success is True), **({"note": said[:500]} if said else {}), **record}


def what_broke(verification, messages):
    """Give the words of a verification, or of a tool in the conversation, that speak of a broken environment."""
    try:
        talked = messages.read_text(encoding="utf-8", errors="replace").replace("\\", "")
    except OSError:
        talked = ""
    found = BROKEN.search(str(verification or "")) or BROKEN.search(talked)
    return found and found[0]


def tokens(usage):
    counts = {"prompt": usage.get("input_tokens"), "completion": usage.get("output_tokens")}
    return {"tokens": counts} if all(isinstance(count, int) for count in counts.values()) else {}
