"""The configuration that Toolathlon's own scripts write for a run."""


def configuration(model, provider, steps):
    """Give what `run_parallel.py --eval_config` reads, as `scripts/run_parallel.sh` has it."""
    limits = {"max_turns": 50, "max_steps_under_single_turn_mode": steps}
    tools = {"tool_choice": "auto", "parallel_tool_calls": True, "max_inner_turns": 2000}
    asked = {"model": {"short_name": model, "provider": provider}, "generation": {"max_tokens": 65536}}
    return {
        "global_task_config": {**limits, "dump_path": "/workspace/dumps", "direct_to_dumps": True},
        "mcp": {"server_config_path": "configs/mcp_servers"},
        "agent": {**asked, "tool": tools},
        "user": asked,  # it has to be there; nobody talks to the agent
    }
