"""What bfcl_eval gives for one category: its entries, its tools and its verdicts, by its own unmodified functions.

bfcl_eval names its models in a module that imports the SDKs of a dozen vendors, and its readers of Java and JavaScript
need compiled grammars. Neither is used for Python calls in OpenAI's form, so small modules stand in their place.
"""

import os
import sys
import tempfile
from types import ModuleType, SimpleNamespace

MODEL = "model"
"""The name under which ast_checker finds that our function names have underscores for dots, as OpenAI's must."""

_STANDING_IN = {
    "constants.model_config": {"MODEL_CONFIG_MAPPING": {MODEL: SimpleNamespace(underscore_to_dot=True)}},
    "model_handler.parser.java_parser": {"parse_java_function_call": None},
    "model_handler.parser.js_parser": {"parse_javascript_function_call": None},
}

os.environ.setdefault("BFCL_PROJECT_ROOT", tempfile.mkdtemp(prefix="bfcl-"))  # it makes directories when imported
for _name, _content in _STANDING_IN.items():
    _module = ModuleType(f"bfcl_eval.{_name}")
    vars(_module).update(_content)
    sys.modules[_module.__name__] = _module

from bfcl_eval.constants.enums import Language, ModelStyle  # noqa: E402
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI  # noqa: E402
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker  # noqa: E402
from bfcl_eval.model_handler.utils import convert_to_tool  # noqa: E402
from bfcl_eval.utils import (  # noqa: E402
    is_empty_output,
    is_function_calling_format_output,
    load_dataset_entry,
    load_ground_truth_entry,
)


def entries(category):
    """Read the entries of a category, each with its possible answers as `gold`; irrelevance has none."""
    golds = {} if category == "irrelevance" else {each["id"]: each for each in load_ground_truth_entry(category)}
    found = load_dataset_entry(category)
    return [{**each, "gold": golds[each["id"]]["ground_truth"] if golds else None} for each in found]


def tools_of(entry):
    """Translate the functions of an entry into what OpenAI's `tools` takes."""
    return convert_to_tool(entry["function"], GORILLA_TO_OPENAPI, ModelStyle.OPENAI_COMPLETIONS)


def verdict(entry, calls, category):
    """Judge calls (a list of {name: arguments}, or None when they could not be read); give (right, why not).

    As in bfcl_eval's runner, calls that cannot be read are none: wrong, but right where no function is relevant.
    """
    if category == "irrelevance":
        right = calls is None or is_empty_output(calls)
        return right, None if right else "irrelevance_error:decoder_success"
    if calls is None:
        return False, "ast_decoder:decoder_failed"
    if not is_function_calling_format_output(calls):
        return False, "ast_decoder:decoder_wrong_output_format"
    found = ast_checker(entry["function"], calls, entry["gold"], Language.PYTHON, category, MODEL)
    return found["valid"], found.get("error_type") if not found["valid"] else None
