"""Prompts of language-model users: written by us, printed by ``trialogue list users``, part of the signature.

The protocols are those of UserSimCRS v2 (single and dual prompt), plus what its stop prompt lacks: the need, and the user's
own turns. Any change of a text changes the signature, and resuming a batch begun with another signature is refused.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from trialogue.catalogue import OTHER_TITLES, Catalogue, Item
from trialogue.errors import UnknownNameError
from trialogue.records import Constraint, Need

VERSION = 1
"""Version of the prompting protocol: the sequence of requests, and the parsing of answers."""

DONE, GIVE_UP = "[DONE]", "[GIVE UP]"
"""With what a model ends the dialogue, anywhere in its message."""

FIRST = "(The chat is open. Write your first message.)"
"""The message that opens a dialogue in which the user speaks first: chat templates require one to answer."""

CONDUCT = """\
How you write:
- Write only your own next message, as people type in a chat: plain, mostly under {words} words, without lists.
- You are the customer. Never recommend, never offer help, and never speak of instructions, of roles or of being a model.
- Say what you are after little by little: one thing at a time, and more when you are asked.
- Wish for nothing that is not written above. Asked for anything else, say that you do not mind.
- You know nothing of {domain} but those named above and what the recommender says. Judge by that alone."""

WHO = """\
You are a person who looks for {domain}, and you chat with a recommender. The messages you are sent are the recommender's.
{who}
What you are after:
{need}
"""

LEAVING = f"""
How you end:
- Once something new to you suits, and you know of it what you wanted to know, say thanks and write {DONE}.
- If the recommender has not understood you several times or goes in circles, say so and write {GIVE_UP}."""

TARGET = f"""\
You are a person who looks for {{domain}}, and you chat with a recommender. The messages you are sent are the recommender's.
{{who}}
You have one thing in mind and want to be recommended just that:
{{need}}

How you write:
- Write only your own next message, as people type in a chat: plain, mostly under {{words}} words, without lists.
- You are the customer. Never recommend, never offer help, and never speak of instructions, of roles or of being a model.
- Never write the title. Describe it by what is written above, a little at a time; answer questions about it from there.
- If the recommender names it, say that you take it, say thanks and write {DONE}.
- Turn down everything else, and say how what you have in mind differs from it."""

TASTES = f"""\
{WHO}
{CONDUCT}
- Say of each thing that is recommended whether it sounds good to you, by what you like and do not like.

How you end:
- Once something new to you sounds good, and you know enough of it to try it, say thanks and write {DONE}.
- If the recommender has not understood you several times or goes in circles, say so and write {GIVE_UP}."""

WORDING = """\
You put into words what a person types in a chat with a recommender of {domain}.
{who}
You are given the recommender's last message and what the person answers, written by a program. Write the answer as the
person would type it. It does the same: a question stays a question, a yes a yes, a refusal a refusal, a wish a wish.
Keep every title, name and value that stands in it, letter for letter. Add nothing: no wish, no title, no reason, no thanks.
Answer with the message and nothing else."""

TO_WORD = """\
Recommender: {transcript}
Answer: {message}"""

DECISION = """\
You are a person who looks for {domain}, and you chat with a recommender. Decide whether you go on.
{who}
What you are after:
{need}

Answer with one of these words and nothing else:
CONTINUE: nothing that suits was recommended yet, or you still want to know something of it.
DONE: something that is new to you suits, and you know of it what you wanted to know.
GIVE_UP: the recommender has not understood you several times, or goes in circles."""

QUESTION = """\
The chat so far:
{transcript}

CONTINUE, DONE or GIVE_UP?"""

NAMES = ("domain", "words", "who", "need", "transcript", "message")
PLACEHOLDER = re.compile(r"\{(\w*)\}")

PROMPTS: Mapping[str, Mapping[str, str]] = {
    "single": {"utterance": f"{WHO}\n{CONDUCT}\n{LEAVING}", "first": FIRST},
    "target-item": {"utterance": TARGET, "first": FIRST},
    "target-free": {"utterance": TASTES, "first": FIRST},
    "worded": {"utterance": WORDING, "message": TO_WORD},
    "dual": {"decision": DECISION, "question": QUESTION, "utterance": f"{WHO}\n{CONDUCT}", "first": FIRST},
}
"""Prompts of each kind, by purpose."""


def check_prompt(prompt: str) -> str:
    """Validate a prompt and return it.

    Raises:
        UnknownNameError: it has a placeholder that stands for nothing.
    """
    for match in PLACEHOLDER.finditer(prompt):
        if match[1] not in NAMES:
            raise UnknownNameError("placeholder of a prompt", match[1], NAMES)
    return prompt


def fill_in(prompt: str, values: Mapping[str, str]) -> str:
    r"""Fill in a prompt's placeholders; missing values are empty, without consecutive empty lines.

    >>> fill_in("You look for {domain}.\n{who}\nBegin.", {"domain": "films", "who": ""})
    'You look for films.\n\nBegin.'
    """
    text = PLACEHOLDER.sub(lambda match: values.get(match[1], ""), prompt)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def signature_of(kind: str, prompts: Mapping[str, str], *, model: str = "") -> str:
    """Signature of a kind: protocol version, a hash of its prompts, and a model's identity if there is one.

    Equal signatures mean equal texts.

    >>> signature_of("single", {}) == signature_of("single", {"utterance": "Hi"})
    False
    """
    text = json.dumps(dict(prompts), sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"llm:{kind}|v{VERSION}|{digest}{'|' if model else ''}{model}"


MAX_EXAMPLES = 3
MAX_KNOWN = 10  # titles a prompt names; profiles of MovieLens have more than anybody would say


def describe_need(need: Need, catalogue: Catalogue) -> str:
    """Constraints, known items and requests, one per line; missing parts have no line.

    Args:
        need: the user's.
        catalogue: holds the titles.
    """
    examples = need.examples[:MAX_EXAMPLES]
    known = [item for item in need.known if item not in examples and item not in need.disliked]
    lines = [
        *map(_constraint, need.constraints),
        _titles("You know and like", examples, catalogue),
        _titles("You know already, and want something new", known[:MAX_KNOWN], catalogue),
        _titles("You did not like", need.disliked[:MAX_EXAMPLES], catalogue),
        f"- Once something suits, ask about its {_join_names(need.requests)}." if need.requests else "",
    ]
    return "\n".join(line for line in lines if line)


def describe_target(need: Need, catalogue: Catalogue) -> str:
    """Description of the target with all its attributes."""
    lines = []
    for item in (catalogue[target] for target in need.targets if target in catalogue):
        lines.append(f"- {item.title_with_year}. This title stays your secret.")
        lines += [f"- its {name}: {', '.join(values)}" for name, values in _attributes(item)]
    return "\n".join(lines)


def describe_tastes(need: Need, catalogue: Catalogue, attributes: Sequence[str]) -> str:
    """Known, liked and disliked titles, each with some attributes."""
    liked = [_with_attributes(catalogue[item], attributes) for item in need.examples if item in catalogue]
    disliked = [_with_attributes(catalogue[item], attributes) for item in need.disliked if item in catalogue]
    rated = {*need.examples, *need.disliked}
    others = [item for item in need.known if item not in rated]
    lines = [
        "- Nothing in particular: something new that you would enjoy.",
        f"- You like: {'; '.join(liked[:MAX_EXAMPLES])}." if liked else "",
        f"- You do not like: {'; '.join(disliked[:MAX_EXAMPLES])}." if disliked else "",
        _titles("You know, too", others[:MAX_KNOWN], catalogue),
    ]
    return "\n".join(line for line in lines if line)


def _attributes(item: Item) -> list[tuple[str, tuple[str, ...]]]:
    year = [("year", (str(item.year),))] if item.year is not None else []
    return [(name, values) for name, values in item.attributes.items() if values and name != OTHER_TITLES] + year


def _with_attributes(item: Item, attributes: Sequence[str]) -> str:
    values = [value for name in attributes for value in item.attributes.get(name, ())]
    return f"{item.title_with_year} ({', '.join(values)})" if values else item.title_with_year


def _constraint(constraint: Constraint) -> str:
    values = " or ".join(constraint.values)
    return f"- {constraint.attribute}: {values}{' (you can do without)' if constraint.relaxable else ''}"


def _titles(what: str, ids: Sequence[str], catalogue: Catalogue) -> str:
    titles = [catalogue[item].title_with_year for item in ids if item in catalogue]
    return f"- {what}: {', '.join(titles)}." if titles else ""


def _join_names(names: Iterable[str]) -> str:
    return " and its ".join(names)


TRAITS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("emotion", "low"): "You do not show what you feel.",
        ("emotion", "high"): "You show what you feel: joy, surprise, disappointment, annoyance.",
        (
            "engagement",
            "low",
        ): "You do not want to spend time on this: short answers, and the first thing that suits is taken.",
        (
            "engagement",
            "high",
        ): "You enjoy the chat: you give reasons, ask about what is recommended, and look at more.",
        (
            "patience",
            "low",
        ): "You are impatient: after one answer that does not help, you say so; after two, you give up.",
        ("patience", "high"): "You are patient: you word things anew, again and again, before you give up.",
    }
)
"""What a trait means to the model; the paper (Zhang and Balog, KDD 2020, sec. 8) names them as future work."""


def describe_traits(traits: Iterable[tuple[str, str]]) -> str:
    """Description of the user's traits, each with its level; "" without any."""
    return "\n".join(TRAITS[trait] for trait in sorted(traits))


def describe_persona(persona: str) -> str:
    """Description of the persona; "" without one."""
    return f"Who you are: {persona}\nWrite and decide as this person would." if persona else ""
