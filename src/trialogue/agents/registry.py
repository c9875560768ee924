"""Create agents from a name, a URL with its protocol, ``module:Name``, or options in YAML.

=================================  ==================================================================================
``echo``                           a kind without options, or an agent registered by a package
``fixed:Have you seen Heat?``      a kind and its main option; ``reference:guided`` likewise
``http://localhost:5001``          a URL, with a protocol: ``moviebot``, ``ievalm``, ``trialogue``, ``llm``, ...
``my_bot:reply``                   a Python function or class (``trialogue.agents.callable_agent``), an agent, or a spec
``my_agent.yaml``                  a file: ``agent``, one of the above, and its options; explicit options override them
=================================  ==================================================================================

Other packages add kinds by entry points of the group ``trialogue.agents``: an ``AgentSpec``, whose options are validated
and become fields of files; a class that is itself an agent, constructed with the options; or a function or class as above.
"""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import Field, ValidationError

from trialogue.agents.base import Agent
from trialogue.agents.callable_agent import CallableAgent, CallableSpec
from trialogue.agents.spec import AgentSpec
from trialogue.errors import Problem, UnknownNameError, UsageError
from trialogue.plugins import load, plugins_of
from trialogue.records import JsonValue, Record
from trialogue.records.files.validation import Mistake, dotted_path, mistakes_of

GROUP = "trialogue.agents"
SUFFIXES = (".yaml", ".yml", ".json")
SECRETS = ("key", "token", "secret", "password", "auth")
AGENT_METHODS = ("open", "close")


def make_agent(given: str | Mapping[str, Any] | AgentSpec, *, protocol: str | None = None, **options: Any) -> Agent:
    """Create an agent from a name, URL, ``module:Name`` or file.

    Args:
        given: what to make, see the module.
        protocol: the kind of agent that answers at a URL.
        options: options of the kind, such as ``timeout_s=60`` or ``name="My bot"``; they overrule those of a file.

    Raises:
        UsageError: with everything that is wrong with it.
        MissingExtraError: it needs an optional dependency that is not installed.

    >>> make_agent("fixed:Have you seen Heat?", name="one film").name
    'one film'
    """
    return spec_of(given, protocol=protocol, **options).make()


def spec_of(given: str | Mapping[str, Any] | AgentSpec, *, protocol: str | None = None, **options: Any) -> AgentSpec:
    """Parse and validate the options of an agent, for manifests and worker processes. Arguments as for ``make_agent``.

    Raises:
        UsageError: with everything that is wrong with it.
    """
    if isinstance(given, AgentSpec):
        return _validate(type(given), given.to_json() | options, "")
    if isinstance(given, Mapping):
        return _spec_from_mapping(given, protocol, options, "")
    if protocol is None and is_file(given):
        return _spec_from_mapping(_read(Path(given)), protocol, options, given)
    return _spec_from_text(given, protocol, options, "")


def is_file(given: object) -> bool:
    """Whether the argument names a file of options.

    >>> is_file("shop.yaml"), is_file("subprocess:python3 bot.py shop.yaml"), is_file("echo")
    (True, False, False)
    """
    return isinstance(given, str) and given.endswith(SUFFIXES) and given.partition(":")[0] not in plugins_of(GROUP)


def _spec_from_mapping(given: Mapping[str, Any], protocol: str | None, options: dict[str, Any], file: str) -> AgentSpec:
    rest = {str(key): value for key, value in given.items() if key not in ("agent", "protocol")} | options
    protocol = protocol or given.get("protocol")
    agent = given.get("agent")
    if agent is None and protocol is not None:
        return _spec_from_text("", protocol, rest, file)
    if not isinstance(agent, str) or not isinstance(protocol, str | None):
        needed = (
            f"'agent' is needed: one of {', '.join(sorted(plugins_of(GROUP)))}; a URL and 'protocol'; or 'module:Name'."
        )
        raise UsageError(f"{file + ': ' if file else ''}{needed} Got: {agent!r}.")
    if protocol is None and is_file(agent):
        if file:
            raise UsageError(f"{file}: 'agent' names another file, {agent}. Give that one instead.")
        return _spec_from_mapping(_read(Path(agent)), None, rest, agent)
    return _spec_from_text(agent, protocol, rest, file)


def _spec_from_text(text: str, protocol: str | None, options: dict[str, Any], file: str) -> AgentSpec:
    kinds = plugins_of(GROUP)
    if protocol is not None:
        if protocol not in kinds:
            raise UnknownNameError("protocol", protocol, kinds)
        return _spec_from_kind(protocol, text, options, file)
    if text.startswith(("http://", "https://")):
        raise UsageError(f"Which protocol does {text} use? Known: {', '.join(_protocols())}.")
    head, colon, argument = text.partition(":")
    if text in kinds or head in kinds:
        return _spec_from_kind(
            text if text in kinds else head, "" if text in kinds else argument.strip(), options, file
        )
    if colon:
        return _spec_from_code(text, options, file)
    hint = "Give your own agent as 'module:Name', as a URL with a protocol, or as a YAML file."
    raise UnknownNameError("agent", text, kinds, hint=hint)


def _spec_from_kind(kind: str, argument: str, options: dict[str, Any], file: str) -> AgentSpec:
    made = load(GROUP, kind, kind="agent")
    if not (inspect.isclass(made) and issubclass(made, AgentSpec)):
        if argument:
            raise UsageError(f"The agent {kind!r} takes nothing after a colon, got {argument!r}. Write {kind!r} alone.")
        return _spec_from_code(kind, options, file)
    if argument and not made.argument:
        raise UsageError(f"The agent {kind!r} takes no URL or argument, got {argument!r}. Write {kind!r} alone.")
    return _validate(made, options | ({made.argument: argument} if argument else {}), file, kind=kind)


def _spec_from_code(code: str, options: dict[str, Any], file: str) -> AgentSpec:
    made = load(GROUP, code, kind="agent")
    if inspect.isclass(made) and issubclass(made, AgentSpec):
        return _validate(made, options, file, kind=code)
    if ":" in code and not _is_agent(made):
        return _validate(CallableSpec, {"code": code, **options}, file, kind=code)
    own = {key: options[key] for key in options if key == "name"}
    more = {key: value for key, value in options.items() if key not in own}
    return _validate(CodeSpec, {"code": code, "options": more, **own}, file, kind=code)


def _is_agent(made: object) -> bool:
    """Whether it is an agent, or makes one, and not what an agent is made of."""
    return all(hasattr(made, method) for method in AGENT_METHODS)


def _protocols() -> list[str]:
    """Kinds that are located by a URL."""
    kinds = [(name, point.load()) for name, point in plugins_of(GROUP).items()]
    return [name for name, made in kinds if getattr(made, "argument", "") == "url"]


class OptionsError(UsageError):
    """Invalid options of an agent (or another ``what``); carries every mistake with its path."""

    def __init__(self, kind: str, mistakes: Sequence[Mistake], file: str = "", *, what: str = "agent") -> None:
        self.mistakes = tuple(mistakes)
        lines = [
            str(Problem(mistake.what, file, None, dotted_path(mistake.place), mistake.hint)) for mistake in mistakes
        ]
        super().__init__("\n".join([f"The {what} {kind!r} cannot be created:", *lines]))


def _validate(made: type[AgentSpec], options: dict[str, Any], file: str, *, kind: str = "") -> AgentSpec:
    try:
        return made.model_validate(options)
    except ValidationError as error:
        mistakes = [without_secrets(mistake, made) for mistake in mistakes_of(error, options, made)]
        raise OptionsError(kind or made.__name__, mistakes, file) from None


def without_secrets(mistake: Mistake, made: type[Record]) -> Mistake:
    """For an unknown option that looks like a secret, replace the spelling hint with advice on secrets."""
    option = str(mistake.place[0]) if len(mistake.place) == 1 else ""
    if option in made.model_fields or not any(word in option.lower() for word in SECRETS):
        return mistake
    hint = "Put it in an environment variable and refer to it: api_key_env: MY_KEY, or {env:MY_KEY} in headers."
    return Mistake(mistake.place, "secrets must not be written in options.", hint)


def _read(path: Path) -> Mapping[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"The file {path} cannot be read ({error.strerror or error}).") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"The file {path} is not valid YAML: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"The file {path} must contain 'agent: ...' and its options, one per line.")
    return data


class CodeSpec(AgentSpec):
    """Third-party code: an agent class, constructed with options; an agent object; or a function or class to be called."""

    code: str
    """Its registered name, or ``module:Name``."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """Keyword arguments of the class; an agent object takes none."""

    def make(self) -> Agent:
        """Import the code and create the agent."""
        made = load(GROUP, self.code, kind="agent")
        if not _is_agent(made):
            return self._wrap(made)
        own = {"name": self.name} if self.name else {}
        if inspect.isclass(made):
            try:
                return cast("Agent", made(**self.options, **own))
            except TypeError as error:
                raise UsageError(
                    f"The agent {self.code} cannot be created with {self.options | own}: {error}."
                ) from error
        if self.options or own:
            raise UsageError(f"{self.code} is already an agent; it takes no options, but got {self.options | own}.")
        return cast("Agent", made)

    def _wrap(self, made: Any) -> CallableAgent:
        options = {**self.options, "code": self.code, "name": self.name}
        spec = _validate(CallableSpec, options, "", kind=self.code)
        assert isinstance(spec, CallableSpec)
        return spec.wrap(made)
