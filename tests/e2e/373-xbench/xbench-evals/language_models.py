"""The real one's mapping of names: an unknown name is no error but an empty answer, a failed request neither."""

import os

from openai import OpenAI

API_PRICE = {"gemini-2.0-flash": (0.10, 0.40, 7.3)}


def get_llm_response(prompt, model, judge=False):
    if model == "gemini-2.0":
        key = os.getenv("GOOGLE_API_KEY")
        return get_api_response(prompt, "gemini-2.0-flash", key, "https://google.invalid/", judge=judge)
    print("Model Not Found!")
    return ""


def get_api_response(prompt, model, api_key, base_url=None, judge=False, think_mode=False):  # noqa: ARG001
    try:
        client = OpenAI(api_key=api_key, base_url=base_url)
        response = client.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
        choice = response.choices[0]
        if judge:
            return choice.message.content
        price, tokens = API_PRICE[model], (response.usage.prompt_tokens, response.usage.completion_tokens)
        cost = sum(rate * count * price[2] for rate, count in zip(price, tokens, strict=False)) / 1e6
        cut, filtered = choice.finish_reason == "length", choice.finish_reason == "content_filter"
        said = {"response": choice.message.content, "cost": cost, "api_error": False}
        return {**said, "length_cutoff": cut, "safety_cutoff": filtered}
    except Exception as error:
        print(f"API error occurred: {error}")
        failed = {"response": None, "cost": None, "api_error": True}
        return {**failed, "length_cutoff": False, "safety_cutoff": False}
