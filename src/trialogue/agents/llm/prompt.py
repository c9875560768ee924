"""Zero-shot prompts for language models as recommenders, with or without the catalogue.

The default prompt is our own, in the style of the papers on language models as zero-shot recommenders (He et al. 2023,
arXiv:2308.10053; Wang et al. 2023, iEvaLM, arXiv:2305.13112): a role, one instruction on when to ask and when to recommend,
and the form of the answer. It does not describe how people recommend, so that Behavior Alignment measures the model and not
the prompt.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from trialogue.agents.spec import LongestText
from trialogue.agents.tools.toolbox import call_messages
from trialogue.catalogue import Catalogue
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import Record, Utterance
from trialogue.transport.answers import LONGEST_TEXT

ZERO_SHOT = """\
You are a recommender of {domain} and talk with somebody who is looking for something to enjoy.
As long as you do not know enough about what they like, ask. As soon as you do, recommend {domain} that fit, by title.
Answer the last message only, as you would in a chat: friendly, in one to three sentences, without lists or headings."""

WITH_CATALOGUE = """

Recommend nothing but what is on this list:
{catalogue}"""

PLACEHOLDER = re.compile(r"\{(\w*)\}")
NAMES = ("domain", "catalogue")
ROLES = {"user": "user", "system": "assistant"}


def check_prompt(prompt: str) -> str:
    """Validate a prompt and return it.

    Raises:
        UnknownNameError: it has a placeholder that stands for nothing.
    """
    for match in PLACEHOLDER.finditer(prompt):
        if match[1] not in NAMES:
            raise UnknownNameError("placeholder of a prompt", match[1], NAMES)
    return prompt


def instruction(prompt: str | None, *, domain: str, titles: Sequence[str] | None) -> str:
    """Fill in the prompt.

    Args:
        prompt: prompt with ``{domain}`` and ``{catalogue}`` where they belong; None: the default, with the list where
            there is one.
        domain: what is recommended, in the plural, such as ``movies``.
        titles: what may be recommended, one a line; None: whatever the model knows.

    Raises:
        UsageError: the prompt wants a catalogue and there is none.
    """
    if prompt is None:
        prompt = ZERO_SHOT + (WITH_CATALOGUE if titles is not None else "")
    check_prompt(prompt)
    if titles is None and "{catalogue}" in prompt:
        raise UsageError(
            "The prompt has the placeholder {catalogue}, but no catalogue is given. Set the option catalogue, or remove it."
        )
    values = {"domain": domain, "catalogue": "\n".join(f"- {title}" for title in titles or ())}
    return PLACEHOLDER.sub(lambda match: values[match[1]], prompt)


def titles_in(path: Path, *, most: int) -> list[str]:
    """Titles in a catalogue file, with their years.

    Raises:
        DataError: it cannot be read.
        UsageError: there are more than may stand in a prompt.
    """
    titles = [item.title_with_year for item in Catalogue.read(path).values()]
    if len(titles) > most:
        raise UsageError(
            f"The catalogue {path} has {len(titles):,} items, but a prompt takes at most {most:,} (option "
            "catalogue_most). Give a smaller one, raise the limit if the model's context is long enough, or "
            "leave the catalogue out."
        )
    return titles


def chat_of(
    instruction: str,
    history: Sequence[Utterance],
    *,
    role: str,
    roles: Mapping[str, str] = ROLES,
    with_calls: bool = False,
) -> list[dict[str, Any]]:
    """Convert a history to chat messages; consecutive utterances of one speaker are merged, as chat templates require.

    Args:
        instruction: comes first.
        history: what was said.
        role: whose words the instruction is: ``system``, ``developer``, or ``user`` for models without such a role.
        roles: the role of each speaker; the other way round for a model that plays the user.
        with_calls: whether to repeat the calls of tools that were made for a message, and their results.
    """
    said = [(role, instruction, None), *((roles[each.speaker], each.text, each.trace) for each in history)]
    messages: list[dict[str, Any]] = []
    for who, text, trace in said:
        if with_calls and trace is not None and trace.calls:
            messages += call_messages("", trace.calls)
        if messages and messages[-1]["role"] == who:
            messages[-1]["content"] += ("\n\n" if len(messages) == 1 else "\n") + text
        else:
            messages.append({"role": who, "content": text})
    return messages


def _check_prompt(prompt: str) -> str:
    try:
        return check_prompt(prompt)
    except UsageError as error:
        raise ValueError(str(error)) from error


class PromptOptions(Record):
    """Options of the prompt, and the maximum length of answers."""

    prompt: Annotated[str, AfterValidator(_check_prompt)] | None = None
    """The system prompt; ``{domain}`` and ``{catalogue}`` are filled in. None: our zero-shot prompt."""
    domain: str = "movies"
    """Kind of items, in the plural."""
    catalogue: Path | None = None
    """File of what may be recommended, which is then listed in the prompt; None: whatever the model knows."""
    catalogue_most: Annotated[int, Field(ge=1)] = 500
    """Items that a prompt may list, about 10 tokens each."""
    greeting: str | None = None
    """Greeting; None: the agent waits for the user."""
    instruction_role: Literal["system", "developer", "user"] = "system"
    """Whose words the prompt is; ``user`` for models whose chat template knows no other (early Llama 2, Gemma, Falcon)."""
    longest_text: LongestText = LONGEST_TEXT
    """Characters a message may have."""

    def instruction(self) -> str:
        """The filled-in prompt; reads the catalogue, if there is one.

        Raises:
            UsageError: the catalogue is too long, or there is none where the prompt wants one.
            DataError: it cannot be read.
        """
        titles = None if self.catalogue is None else titles_in(self.catalogue, most=self.catalogue_most)
        return instruction(self.prompt, domain=self.domain, titles=titles)
