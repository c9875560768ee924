"""Which tools an agent is offered: ``tools: [catalogue]``, or the user's own functions as ``module:function``."""

import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from trialogue.agents.spec import AgentSpec
from trialogue.agents.tools.toolbox import CallLimits, Tool, Toolbox
from trialogue.errors import TrialogueError, UsageError
from trialogue.plugins import load, plugins_of
from trialogue.records.files.validation import Mistake
from trialogue.transport.retry import Seconds

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


CATALOGUE = "catalogue"
LIMITS = CallLimits()


def _names(given: object) -> object:
    return [given] if isinstance(given, str) else given


class ToolOptions(AgentSpec):
    """Options of an agent that is offered tools."""

    tools: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """Tools that it is offered and that are executed here: ``catalogue`` (search, facts, recommend, over the catalogue of
    the simulated users), ``catalogue:FILE``, or a Python function as ``module:function``. (): none."""
    max_tool_calls: Annotated[int, Field(ge=1)] = LIMITS.calls or 1
    """Calls that it may make in one turn."""
    tool_timeout_s: Seconds = LIMITS.timeout_s or 1.0
    """Seconds that a call may take."""
    longest_result: Annotated[int, Field(ge=1)] = LIMITS.result or 1
    """Characters that a result may have, as JSON."""

    def mistakes(self) -> list[Mistake]:
        """Tools that cannot be loaded."""
        try:
            self.toolbox()
        except TrialogueError as error:
            return [Mistake(("tools",), str(error))]
        return []

    def toolbox(self) -> Toolbox | None:
        """The tools; None: it is offered none.

        Raises:
            UsageError: one cannot be loaded, or two have one name.
            DataError: the catalogue cannot be read.
        """
        if not self.tools:
            return None
        found = [tool for name in self.tools for tool in _tools_named(name)]
        names = [tool.name for tool in found]
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise UsageError(f"Several tools are called {', '.join(twice)}: give each its own name.")
        limits = CallLimits(self.max_tool_calls, self.tool_timeout_s, self.longest_result)
        return Toolbox(found, limits)


def over_catalogue(spec: AgentSpec, catalogue: str) -> AgentSpec:
    """An agent whose tools over no named catalogue are those of a simulation's."""
    if not isinstance(spec, ToolOptions) or CATALOGUE not in spec.tools:
        return spec
    named = [f"{CATALOGUE}:{catalogue}" if name == CATALOGUE else name for name in spec.tools]
    return spec.model_copy(update={"tools": tuple(named)})


def _tools_named(name: str) -> list[Tool]:
    kind, _, argument = name.partition(":")
    if kind in plugins_of(GROUP):
        found: list[Tool] = load(GROUP, kind, kind="tool")(argument)
        return found
    return load_tools(name)
