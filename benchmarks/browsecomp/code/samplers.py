"""The model and its grader, as simple-evals' own sampler asks them."""

import json
import os

import openai

from benchrouter.sdk import EndpointError, whole


class Client:
    """What the upstream's sampler calls `client`: it ends where that sampler would ask again for ever."""

    def __init__(self, endpoint, key, more):
        self.chat = self.completions = self
        self.more, self.last, self.usage = more, "", None
        self.real = openai.OpenAI(base_url=endpoint, api_key=key, max_retries=4, timeout=600)

    def create(self, **request):
        try:
            answer = self.real.chat.completions.create(**{**request, **self.more})
            self.usage, message = answer.usage, answer.choices[0].message
        except (openai.OpenAIError, AttributeError, IndexError, TypeError, ValueError) as error:
            raise EndpointError(f"{request['model']}: {error}", getattr(error, "status_code", None)) from None
        message.content = self.last = message.content or ""
        return answer


def model():
    """Give the sampler of the model that the task is run against."""
    seed = {"seed": int(os.environ["BENCHROUTER_SEED"])} if os.environ.get("BENCHROUTER_SEED") else {}
    declared = json.loads(os.environ.get("BENCHROUTER_MODEL_PARAMETERS") or "{}")
    endpoint, key = os.environ["BENCHROUTER_MODEL_ENDPOINT"], os.environ["OPENAI_API_KEY"]
    return _sampler(os.environ["BENCHROUTER_MODEL_NAME"], Client(endpoint, key, {**seed, **declared}))


def grader():
    """Give the sampler of the grader: the model itself where no other is named."""
    name, endpoint, key = (os.environ.get(f"BROWSECOMP_GRADER_{what}") for what in ("MODEL", "ENDPOINT", "API_KEY"))
    if not key:  # the model's key goes to no other endpoint
        key = "EMPTY" if endpoint else os.environ["OPENAI_API_KEY"]
    client = Client(endpoint or os.environ["BENCHROUTER_MODEL_ENDPOINT"], key, {})
    return _sampler(name or os.environ["BENCHROUTER_MODEL_NAME"], client)


def _sampler(name, client):
    from simple_evals.sampler.chat_completion_sampler import OPENAI_SYSTEM_MESSAGE_API, ChatCompletionSampler

    most = whole("BROWSECOMP_MAX_TOKENS", 2048)
    made = ChatCompletionSampler(model=name, system_message=OPENAI_SYSTEM_MESSAGE_API, max_tokens=most)
    made.client = client
    return made
