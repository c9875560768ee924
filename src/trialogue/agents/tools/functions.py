"""Tools made of Python functions: their signature is the schema, their docstring the description."""

import inspect
import re
from collections.abc import Callable
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from trialogue.agents.tools.toolbox import Tool
from trialogue.errors import UsageError
from trialogue.plugins import load

GROUP = "trialogue.tools"
NAMED = re.compile(r"^\s+(\w+)(?: \([^)]*\))?: (.+)$", re.MULTILINE)
"""An argument in a docstring, with what it is."""
EXPECTED = "A tool is a function whose parameters have types and names, such as def search(query: str, most: int = 5)."


def load_tools(code: str) -> list[Tool]:
    """The tools behind ``module:Name``: a function, a ``Tool``, or a list of them.

    Raises:
        UsageError: it names none.
    """
    found = load(GROUP, code, kind="tool")
    given = found if isinstance(found, list | tuple) else [found]
    return [each if isinstance(each, Tool) else tool_of(each) for each in given]


def tool_of(function: Callable[..., Any]) -> Tool:
    """A function as a tool.

    Raises:
        UsageError: it is none whose arguments can be described.
    """
    name = getattr(function, "__name__", repr(function))
    if not callable(function) or inspect.isclass(function):
        raise UsageError(f"{function!r} is not a function. {EXPECTED}")
    if inspect.iscoroutinefunction(function):
        raise UsageError(f"The tool {name} is asynchronous, which is not supported. Write a plain function around it.")
    text = inspect.getdoc(function) or name
    about = {match[1]: match[2] for match in NAMED.finditer(text)}
    fields: dict[str, Any] = {}
    try:
        hints = get_type_hints(function)
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise UsageError(f"The tool {name} takes {parameter}. {EXPECTED}")
            default = ... if parameter.default is parameter.empty else parameter.default
            kind = hints.get(parameter.name, Any)
            fields[parameter.name] = (kind, Field(default, description=about.get(parameter.name)))
        arguments = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
        arguments.model_json_schema()
    except (TypeError, NameError, ValueError, PydanticUserError, PydanticSchemaGenerationError) as error:
        raise UsageError(f"The arguments of the tool {name} cannot be described ({error}). {EXPECTED}") from error

    def run(given: BaseModel) -> Any:
        return function(**{field: getattr(given, field) for field in fields})

    return Tool(name, text.partition("\n\n")[0], arguments, run)
