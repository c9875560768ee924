"""How often a language model tells the act of an agent's message; writes ``benchmarks/UNDERSTANDING.md``.

    python -m benchmarks.understanding MIRROR --model '{folder: models/my.gguf, cache: /tmp/cache}'

On messages of the three agents of KDD 2020, whose labels are those of people, drawn at random, equally many of each agent;
titles are found by the linker over MovieLens (latest, small). Every classifier reads the same messages. Those that learn
are fitted on the other 24 dialogues with the same agent. The language model learns nothing, and its definitions of the
labels were written without looking at this corpus. ``linear`` sees what the user did before; the others the message alone.
"""

import argparse
import platform
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import NamedTuple

import yaml

from trialogue.catalogue import TitleLinker
from trialogue.datasets.corpora.kdd2020 import read_folder
from trialogue.datasets.corpora.movielens import read_movielens
from trialogue.records.kinds.acts import spelt_right
from trialogue.seeds import rng_for
from trialogue.simulation.actions import KDD2020
from trialogue.simulation.kdd2020 import LETTERS
from trialogue.simulation.language.nlu import ActClassifier, ActPrediction, Example, RetrievalClassifier, examples_of
from trialogue.simulation.language.nlu_linear import LinearClassifier
from trialogue.simulation.language.nlu_llm import ActReader, ModelClassifier, agent_labels, understanding_options
from trialogue.simulation.users.population import UNSURE
from trialogue.stats.comparison.inference import wilson

HERE = Path(__file__).resolve().parent


class Drawn(NamedTuple):
    """A message to label, and what a classifier may learn from."""

    agent: str
    example: Example
    others: tuple[Example, ...]
    """Examples of the other dialogues with the agent."""


def draw(mirror: Path, each: int, seed: int) -> list[Drawn]:
    """Messages, ``each`` of every agent."""
    films = read_movielens(mirror / "movielens" / "ml-latest-small")
    linker = TitleLinker(films.catalogue, popularity=films.ratings.popularity())
    groups: dict[str, list[list[Example]]] = {}
    for dialogue in read_folder(mirror / "kdd2020", note=lambda _: None):
        groups.setdefault(LETTERS[str(dialogue.system)], []).append(examples_of([dialogue], linker=linker))
    found = []
    for agent, dialogues in sorted(groups.items()):
        places = [(at, place) for at, own in enumerate(dialogues) for place in range(len(own))]
        chosen = rng_for(seed, "understanding", agent).choice(len(places), size=each, replace=False)
        for at, place in (places[int(number)] for number in sorted(chosen)):
            rest = [example for other, own in enumerate(dialogues) if other != at for example in own]
            found.append(Drawn(agent, dialogues[at][place], tuple(rest)))
    return found


def read(model: ActClassifier, example: Example) -> ActPrediction:
    """What a classifier makes of a message, in its context."""
    text = example.bare if model.wants_bare and example.bare is not None else example.text
    return model.read(text, before=example.before, place=example.place)


Fit = Callable[[Sequence[Example]], ActClassifier]


def is_known(each: Drawn) -> bool:
    """Whether the message stands in the other dialogues with the agent, word for word but for titles."""
    own = each.example.bare or each.example.text
    return any((other.bare or other.text) == own for other in each.others)


def row(name: str, drawn: Sequence[Drawn], heard: Sequence[ActPrediction]) -> str:
    """A line of the table."""
    right = [spelt_right(h.label or "") == spelt_right(d.example.label) for d, h in zip(drawn, heard, strict=True)]
    said = sum(h.label is not None for h in heard)
    by_agent = [sum(r for d, r in zip(drawn, right, strict=True) if d.agent == agent) for agent in "ABC"]
    new = [r for d, r in zip(drawn, right, strict=True) if not is_known(d)]
    interval = wilson(sum(right), len(drawn)).interval
    assert interval is not None
    precision = f"{sum(right) / said:.2f}" if said else "-"
    return (
        f"| {name} | {sum(right)} ({sum(right) / len(drawn):.2f}; {interval.low:.2f} to {interval.high:.2f}) | "
        f"{' / '.join(map(str, by_agent))} | {sum(new)} of {len(new)} | {len(drawn) - said} | {precision} |"
    )


def table(drawn: Sequence[Drawn], readers: Sequence[ActReader]) -> Iterator[str]:
    """Accuracy by classifier, then what each language model answered."""
    fits: dict[str, Fit] = {
        "`linear`, users' default": LinearClassifier,
        "words alone, threshold .6: the default labeller": lambda known: LinearClassifier(
            known, context=False, unknown_below=UNSURE
        ),
        "`retrieval`, the paper's": RetrievalClassifier,
    }
    yield from (
        "| classifier | right (share; 95 % interval, Wilson) | right of A / B / C | right of the new messages | unknown "
        "| right where it said a label |",
        "|---|---|---|---|---|---|",
    )
    for name, fit in fits.items():
        yield row(name, drawn, [read(fit(each.others), each.example) for each in drawn])
    for number, reader in enumerate(readers, start=1):
        for name, least in ((f"language model {number}", 0.0), (f"language model {number}, threshold .6", UNSURE)):
            model = ModelClassifier(reader, unknown_below=least)
            yield row(name, drawn, [read(model, each.example) for each in drawn])
    for number, reader in enumerate(readers, start=1):
        model = ModelClassifier(reader, unknown_below=0.0)
        heard = [read(model, each.example) for each in drawn]
        options, usage = reader.options, reader.usage()
        yield from (
            "",
            f"Language model {number}: `{reader.origin}`, {options.samples} answers to each message, temperature "
            f"{options.temperature}, stop {list(options.stop)}. Labels that it chose: "
            f"{_listed(Counter(each.label for each in heard if each.label is not None))}. Unknown, by reason: "
            f"{_listed(Counter(each.why.value for each in heard if each.why is not None))}. "
            f"{usage.calls:,} calls, {usage.cached:,} answers from the cache, {usage.failures:,} failures; "
            f"{usage.prompt_tokens:,} prompt tokens, {usage.completion_tokens:,} answer tokens.",
        )


def main() -> None:
    """Draw, ask, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--model", action="append", required=True, help="options of a language model, as YAML")
    parser.add_argument("--each", type=int, default=20, help="messages of each agent")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    drawn = draw(given.mirror, given.each, given.seed)
    labels = agent_labels(KDD2020)
    readers = [ActReader(understanding_options({"llm": yaml.safe_load(each)}), labels) for each in given.model]
    start = process_time()
    lines = list(table(drawn, readers))
    usual = Counter(spelt_right(each.example.label) for each in drawn)
    label, count = usual.most_common(1)[0]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE
    ).stdout.strip()
    page = [
        "# How often a language model tells the act of an agent's message",
        "",
        f"Made by `python -m benchmarks.understanding` at {commit}, Python {platform.python_version()}, "
        f"{platform.machine()}; {process_time() - start:,.0f} seconds of processor time. What is measured on what: the "
        "docstring of `benchmarks/understanding.py`.",
        "",
        f"{len(drawn)} messages with {len(usual)} different labels; {label}, the most frequent one, is that of {count}. "
        f"These agents repeat themselves: {sum(map(is_known, drawn))} of the messages stand, but for titles, in the other "
        "dialogues that `linear`, the labeller and `retrieval` are fitted on, so their shares are not those on an agent "
        "that is new to them. The language model has seen none. Intervals take messages for independent.",
        "",
        *lines,
    ]
    (HERE / "UNDERSTANDING.md").write_text("\n".join(page) + "\n", encoding="utf-8")
    print("\n".join(page))


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


if __name__ == "__main__":
    main()
