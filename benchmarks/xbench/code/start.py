"""Start the upstream's xbench_evals.py with one more model, in the place where its README says to add one.

Its language_models.py maps names to endpoints; the name `benchrouter` is the model under test, and the judge, which is
always called for as `gemini-2.0`, is the one that XBENCH_JUDGE_MODEL names, or else the model itself. Ends with 75 when
the first five requests fail.
"""

import os
import re
import runpy
import sys
from pathlib import Path

import language_models as upstream

FEW = 5
outcomes = []


def answer(prompt, model, judge=False):  # noqa: ARG001
    """Ask as the upstream asks; give what its `get_llm_response` gives."""
    named = [os.environ.get(f"XBENCH_JUDGE_{what}") if judge else None for what in ("MODEL", "ENDPOINT", "API_KEY")]
    name, endpoint, key = named
    if not key:  # the model's key goes to no other endpoint
        key = "EMPTY" if endpoint else os.environ["OPENAI_API_KEY"]
    name = name or os.environ["BENCHROUTER_MODEL_NAME"]
    endpoint = endpoint or os.environ["BENCHROUTER_MODEL_ENDPOINT"]
    upstream.API_PRICE.setdefault(name, (0, 0, 1))  # the upstream takes a model without a price for one that failed
    said = upstream.get_api_response(prompt, model=name, api_key=key, base_url=endpoint, judge=judge)
    failed = isinstance(said, dict) and said["api_error"]
    outcomes.append(failed)
    if len(outcomes) == FEW and all(outcomes):
        sys.exit(75)
    if failed and judge:
        Path("judge-failed").touch()
    # None is the upstream's word for a judge that failed; here also for one whose verdict it would not find.
    return said if not judge or readable(said) else None


def readable(said):
    """Tell whether the upstream finds a verdict, right or wrong, after an ASCII colon."""
    verdict = re.search(r"结论:*.(正确|错误)", said) if isinstance(said, str) else None
    return verdict is not None and verdict[0].partition(":")[2].strip() == verdict[1]


upstream.get_llm_response = answer
runpy.run_path(str(Path(upstream.__file__).with_name("xbench_evals.py")), run_name="__main__")
