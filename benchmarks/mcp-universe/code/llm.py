"""The model under test as MCP-Universe's own client of OpenAI-compatible endpoints."""

import json
import os

KEY = os.environ["OPENAI_API_KEY"]


def client():
    """Give the client and the list of its failures, which MCP-Universe takes for answers."""
    from mcpuniverse.llm.openai import OpenAIConfig, OpenAIModel

    declared = json.loads(os.environ.get("BENCHROUTER_MODEL_PARAMETERS") or "{}")
    if "max_tokens" in declared:
        declared["max_completion_tokens"] = declared.pop("max_tokens")
    known = {name: value for name, value in declared.items() if name in OpenAIConfig.__dataclass_fields__}
    named = {"model_name": os.environ["BENCHROUTER_MODEL_NAME"], "base_url": os.environ["BENCHROUTER_MODEL_ENDPOINT"]}
    llm, failures = OpenAIModel({**known, **named, "api_key": KEY}), []
    generate = llm._generate

    def checked(*words, **more):
        answer = None if failures else generate(*words, **more)
        # With tools it is the whole completion, also where that is none.
        if answer is None or ("tools" in more and not getattr(answer, "choices", None)):
            failures.append("no answer from the model (see the log)")
            raise RuntimeError(failures[0])
        return answer

    llm._generate, llm.set_context = checked, lambda _context: None
    return llm, failures
