"""The model as AgentDojo's agent, asked through the SDK, which tells a failing endpoint from a bad answer."""

import json
import os

import pydantic
import vendors  # noqa: F401 - before agentdojo
from agentdojo.agent_pipeline import AbortAgentError, AgentPipeline, OpenAILLM, PipelineConfig
from agentdojo.models import MODEL_NAMES
from openai import NOT_GIVEN
from openai.types.chat import ChatCompletion

from benchrouter.sdk import EndpointError, complete


class Client:
    """What OpenAILLM asks of an OpenAI client; keeps what was said."""

    def __init__(self):
        self.chat = self.completions = self
        self.answers, self.conversation, self.failed = [], [], None

    def create(self, model, messages, **parameters):
        if self.failed:
            raise self.failed  # upstream tries three times; the SDK has tried often enough
        try:
            answer = complete(messages, **{name: given for name, given in parameters.items() if given is not NOT_GIVEN})
        except EndpointError as error:
            self.failed = error
            raise
        self.answers.append(answer)
        self.conversation = [*messages, answer["choices"][0]["message"]]
        return ChatCompletion.construct(**answer)


class Agent(OpenAILLM):
    def query(self, query, runtime, env, messages, extra_args):
        try:
            return super().query(query, runtime, env, messages, extra_args)
        except (json.JSONDecodeError, pydantic.ValidationError):  # the model's mistake: judged is what it did before
            raise AbortAgentError("The arguments of a tool call are no JSON object.", list(messages), env) from None


def make_agent():
    """Make AgentDojo's own pipeline without a defence around the model; give its client too."""
    model = os.environ["BENCHROUTER_MODEL_NAME"]
    llm = Agent(Client(), model)
    llm.name = next((known for known in MODEL_NAMES if known in model), "local")  # attacks address the model by it
    config = PipelineConfig(llm=llm, model_id=None, defense=None, system_message_name=None, system_message=None)
    return AgentPipeline.from_config(config), llm.client
