"""The real one's interface and its oddities: a refused request is an answer, any other failure is retried for ever."""

import time

import openai

from ..types import SamplerResponse

OPENAI_SYSTEM_MESSAGE_API = "You are a helpful assistant."


class ChatCompletionSampler:
    def __init__(self, model="gpt-3.5-turbo", system_message=None, temperature=0.5, max_tokens=1024):
        self.client = openai.OpenAI()
        self.model, self.system_message = model, system_message
        self.temperature, self.max_tokens = temperature, max_tokens

    def _pack_message(self, role, content):
        return {"role": str(role), "content": content}

    def __call__(self, message_list):
        if self.system_message:
            message_list = [self._pack_message("system", self.system_message), *message_list]
        waited = 1
        while True:
            try:
                reply = self.client.chat.completions.create(
                    model=self.model, messages=message_list, temperature=self.temperature, max_tokens=self.max_tokens
                )
                text = reply.choices[0].message.content
                if text is None:
                    raise ValueError("an empty answer")
                return SamplerResponse(text, message_list, {"usage": reply.usage})
            except openai.BadRequestError as error:
                print("Bad Request Error", error)
                return SamplerResponse("No response (bad request).", message_list, {"usage": None})
            except Exception as error:
                print("so wait and retry", error)
                time.sleep(waited)
                waited *= 2
