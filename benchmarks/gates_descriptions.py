"""Descriptions of the target by facts of a catalogue: what ``target_leaked`` recognises, and on whom it fires.

Part of GATES.md, which ``python -m benchmarks.gates`` writes. ``gates_leaks_dev.tsv`` and ``gates_leaks_held_out.tsv`` hold
descriptions of films, half of them unmistakable, by somebody who had seen no detector. Which film is in which half of the
set was drawn before any row was read (seed 20261123, 30 films each); only the first half was looked at.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tables import table
from trialogue.agents.base import Agent
from trialogue.agents.callable_agent import CallableAgent
from trialogue.agents.registry import make_agent
from trialogue.catalogue import Catalogue, TitleLinker
from trialogue.catalogue.facts import FactIndex, FactKind
from trialogue.inputs.inputs import gather
from trialogue.metrics.gates.descriptions import description_in
from trialogue.metrics.gates.detect import gates_in, vocabulary_of
from trialogue.records import Constraint, Dialogue, Ending, Need, Utterance
from trialogue.records.kinds.suspicions import Gate
from trialogue.seeds import rng_for
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.language.styles import add_typos
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.needs import decade_of, resolve_mentions
from trialogue.simulation.users.world import World
from trialogue.stats.comparison.inference import wilson

SETS = {"held out, measured once": "gates_leaks_held_out.tsv", "used for development": "gates_leaks_dev.tsv"}
AGENTS = ("guided", "item-centred", "genre-led")
RATES = (0.0, 0.25, 0.5, 1.0)
"""Of long words with a slip."""
ROWS = 30
"""Of either kind in each half."""
QUESTIONS = ("Which genre?", "Which actors do you like?", "B", "Who should have directed it?", "C")
"""Of an agent that asks about everything, by words and by the letters of options."""
CORPORA = {"INSPIRED (dev, test)": "inspired", "CRSArena-Dial": "crsarena-dial", "KDD 2020": "kdd2020"}
CORPORA |= {"ReDial (validation)": "redial"}


@dataclass(frozen=True)
class Row:
    """A description of a film, in a dialogue of a user who looks for it."""

    is_unmistakable: bool
    dialogue: Dialogue


def section(world: World, hosts: Sequence[Dialogue], folder: Path) -> list[str]:
    """Paragraphs and tables of the page."""
    index = FactIndex(world.catalogue)
    sets = {title: rows_of(folder / name, world, hosts) for title, name in SETS.items()}
    return [
        INTRO,
        found_in(sets, index),
        REASONS,
        missed(sets, index),
        USERS,
        users(world, index),
        PEOPLE,
        people(index),
        MISSPELT,
        misspelt(world, hosts, index),
    ]


def rows_of(path: Path, world: World, hosts: Sequence[Dialogue]) -> list[Row]:
    """Every row behind the first exchange of a dialogue, with a need for its film; only titles of one film are taken."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")[1:]):
        if line:
            title, text, unmistakable = line.split("\t")
            films = world.catalogue.find_title(title)
            if len(films) == 1:
                dialogue = described(text, films[0].id, hosts[number % len(hosts)], world)
                found.append(Row(unmistakable == "1", dialogue))
    return found


def described(text: str, item_id: str, host: Dialogue, world: World) -> Dialogue:
    """The host's first exchange, then the text, in a dialogue of a user who looks for a film of its genre and decade."""
    film, known = world.catalogue[item_id], host.need.known if host.need is not None else ()
    wishes = (("genre", film.attributes["genre"][0]), ("decade", decade_of(film) or ""))
    need = Need(
        id=item_id,
        constraints=tuple(Constraint(attribute=name, values=(value,)) for name, value in wishes),
        targets=(item_id,),
        acceptable=(item_id,),
        known=tuple(each for each in known if each != item_id),
    )
    said = (Utterance(speaker="user", text=text), Utterance(speaker="system", text="I see.", mentions=()))
    utterances, need = resolve_mentions((*host.utterances[:2], *said), need, world.catalogue, world.linker)
    return host.model_copy(update={"utterances": utterances, "need": need, "ended_by": Ending.TURN_LIMIT})


def found_in(sets: dict[str, list[Row]], index: FactIndex) -> str:
    """What is recognised in each half."""
    lines = []
    for title, rows in sets.items():
        for kind, wanted in (("unmistakable", True), ("could be another film", False)):
            own = [each.dialogue for each in rows if each.is_unmistakable is wanted]
            fires = sum(bool(gates_in(each, None, index)[Gate.TARGET_LEAKED]) for each in own)
            titles = sum(bool(gates_in(each)[Gate.TARGET_LEAKED]) for each in own)
            share = wilson(fires, len(own)).interval
            assert share is not None
            share_text = f"{fires / len(own):.2f} [{share.low:.2f}, {share.high:.2f}]"
            lines.append([title, kind, str(len(own)), str(ROWS - len(own)), str(fires), share_text, str(titles)])
    heads = ["half", "descriptions", "rows", "left out", "detected", "share", "without a catalogue"]
    return "\n".join(table(heads, lines))


def missed(sets: dict[str, list[Row]], index: FactIndex) -> str:
    """Unmistakable descriptions by the facts of the film in them."""
    lines = []
    for title, rows in sets.items():
        held: Counter[str] = Counter()
        found: Counter[str] = Counter()
        for each in rows:
            if each.is_unmistakable:
                kind = evidence(each.dialogue, index)
                held[kind] += 1
                found[kind] += description_in(each.dialogue, index) is not None
        lines += [[title, kind, str(held[kind]), str(found[kind])] for kind in EVIDENCE if held[kind]]
    return "\n".join(table(["half", "the catalogue has", "rows", "detected"], lines))


EVIDENCE = ("nobody who is named", "one person, and nothing else or one word", "two facts or more")


def evidence(dialogue: Dialogue, index: FactIndex) -> str:
    """How much of what a description says the catalogue has about its film."""
    assert dialogue.need is not None
    own = index.facts_of(dialogue.need.targets[0])
    facts = {each.fact for each in index.find(dialogue.utterances[2].text)} & own
    names, words = (sum(each.kind is kind for each in facts) for kind in (FactKind.NAME, FactKind.WORD))
    if not names:
        return EVIDENCE[0]
    enough = names > 1 or words > 1 or any(each.kind is FactKind.YEAR for each in facts)
    return EVIDENCE[2] if enough else EVIDENCE[1]


def asking_agent() -> Agent:
    """An agent that asks about attributes by turns."""

    def asks(_message: str, history: Sequence[Utterance]) -> str:
        turn = sum(each.speaker == "system" for each in history)
        return QUESTIONS[turn % len(QUESTIONS)]

    return CallableAgent(asks, name="asking")


def users(world: World, index: FactIndex) -> str:
    """How often simulated users fire, and the time that it takes."""
    agents = {name: make_agent(f"reference:{name}") for name in AGENTS} | {"asking": asking_agent()}
    lines = []
    for kind in ("cir6-pkg", "target-item:attributes"):
        people = load_kind(kind).settle(world)
        for name, agent in agents.items():
            dialogues = [DialogueRunner()(agent, people, task) for task in Plan((name,), (kind,), 100)]
            fires = sum(description_in(each, index) is not None for each in dialogues)
            titles = sum(bool(gates_in(each)[Gate.TARGET_LEAKED]) for each in dialogues)
            plain, more = times(dialogues, world.catalogue)
            lines.append([kind, name, str(len(dialogues)), str(titles), str(fires), f"{plain:.0f}", f"{more:.1f}"])
    heads = ["users", "agent", "dialogues", "titles", "descriptions", "µs a message, all gates", "of them descriptions"]
    return "\n".join(table(heads, lines))


def times(dialogues: Sequence[Dialogue], catalogue: Catalogue, *, repeats: int = 5) -> tuple[float, float]:
    """CPU time of all gates and of descriptions, in µs per user message: the least of some.

    Descriptions are looked for with a new index each time; the other gates remember messages from the time before.
    """
    messages = sum(said.speaker == "user" for each in dialogues for said in each.utterances)
    vocabulary = vocabulary_of(each.need for each in dialogues if each.need is not None)
    alone, every = [], []
    for _ in range(repeats):
        index = FactIndex(catalogue)
        start = time.process_time()
        for each in dialogues:
            description_in(each, index)
        alone.append(time.process_time() - start)
        start = time.process_time()
        for each in dialogues:
            gates_in(each, vocabulary, index)
        every.append(time.process_time() - start)
    return 1e6 * min(every) / messages, 1e6 * min(alone) / messages


def people(index: FactIndex) -> str:
    """Messages of people that would describe some film, if all of the catalogue satisfied their needs."""
    linker = TitleLinker(index.catalogue)
    lines = []
    for title, corpus in CORPORA.items():
        messages = named = fires = 0
        for said in messages_of(corpus):
            messages += 1
            if not any(each.fact.kind is FactKind.NAME for each in index.find(said.text)):
                continue
            named += 1
            need = Need(id="any", acceptable=tuple(index.catalogue))
            linked = linker.link_utterance(said.model_copy(update={"mentions": None}))
            fires += description_in(Dialogue(id="d", utterances=(linked,), need=need), index) is not None
        lines.append([title, str(messages), str(named), str(fires)])
    return "\n".join(table(["corpus", "messages of users", "with a name", "describe a film"], lines))


def messages_of(corpus: str) -> Iterator[Utterance]:
    """What users say in a corpus."""
    for dialogue in gather([corpus]).dialogues:
        yield from (said for said in dialogue.utterances if said.speaker == "user")


def misspelt(world: World, hosts: Sequence[Dialogue], index: FactIndex) -> str:
    """How often a target is recognised whose title has slips, and how often the title of another film in its place."""
    films, lines = list(world.catalogue.values()), []
    for rate in RATES:
        rng = RandomSource(rng_for(20261127, "misspelt titles", str(rate)))
        found = others = 0
        for number, film in enumerate(films):
            for text, is_own in ((film.title, True), (films[number - 1].title, False)):
                said = f"I was thinking of {add_typos(text, rate, rng)}, I guess"
                leaked = gates_in(described(said, film.id, hosts[number % len(hosts)], world), None, index)
                fires = bool(leaked[Gate.TARGET_LEAKED])
                found, others = found + (fires and is_own), others + (fires and not is_own)
        lines.append([f"{rate:.0%}", str(len(films)), f"{found / len(films):.2f}", str(others)])
    return "\n".join(table(["long words with a slip", "films", "recognised", "where another is named"], lines))


INTRO = """## Descriptions of the target

A user may leak the target without its title, by a description that fits nothing else. What can be decided from a
catalogue is decided: a turn of the user that names two people who took part in one item of the catalogue alone, or
one of them with its exact year or with two rare words of its description. 120 descriptions of 60 films, half of them
unmistakable, were written by somebody who had seen no detector (`gates_leaks_dev.tsv`, `gates_leaks_held_out.tsv`;
the halves were drawn by film before anybody read them). Each is said to an agent by a user who needs a film of its
genre and decade, over the bundled films; films that are not among these, or share their title, are counted as left
out. MovieLens has no people and no descriptions: there, and without a catalogue, only titles are recognised. **The
half held out is the estimate to quote**; intervals are Wilson's."""
REASONS = """Most of what makes a description unmistakable is plot, characters and quotations, which this catalogue
does not have: it names two to four people of a film and describes it in one sentence."""
USERS = """On simulated users of the bundled films it must not fire: they say what their need asks for, or answer
questions. The agent "asking" asks about each attribute by words and by the letters of options. Agenda-based users and
those who answer questions never write descriptions of their own; no dialogues of a language model were at hand. Times
are CPU times; facts are looked for anew, while the other gates remember messages from the run before."""
PEOPLE = """People have no needs here, so the gate does not apply to them. How many of their messages would fire if
every one of the 476 films satisfied their needs is an upper bound on chance: a need is satisfied by at most 2% of a
catalogue."""
MISSPELT = """## Misspelt titles

Every film of the bundled catalogue, named by its user in mid-sentence with slips of the finger in a share of the words
of four letters or more (those of our own simulated users: letters swapped, left out, doubled or hit beside), and the
title of another film in its place. The bounds were chosen with other slips (one to three a title, drawn by a script of
their author): there, titles of eight letters or more with one, two and three slips were recognised in .36, .15 and .07
before and in .94, .88 and .70 after. Before, the table below had .99, .78, .60 and .31."""
