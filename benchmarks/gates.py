"""Gates of users: which planted faults they find, and how often they fire on real people. Writes GATES.md.

    python -m benchmarks.gates
    python -m benchmarks.gates --file F.tsv --missed    # whole dialogues (gates_dialogues.py)
    python -m benchmarks.gates --file F.tsv --as-written    # with its author's labels

Planted faults are put behind the words of a simulated user of the bundled films, whose dialogue, need and titles are known;
near misses are planted in the same way. ``gates_planted.tsv`` was written by the author of the detectors, before them;
``gates_written_a.tsv``, ``_b`` and ``_c`` by others who had seen neither the detectors nor one another's rows, ``_d`` by
somebody who had seen a few rows of A and C and no detector. Dialogues of
people come from the local mirror and are only counted.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import gates_descriptions
from benchmarks.gates_dialogues import Judged, by_definition, judged, missed
from benchmarks.tables import table
from trialogue.agents.registry import make_agent
from trialogue.catalogue import Catalogue
from trialogue.catalogue.facts import FactIndex
from trialogue.inputs.inputs import gather
from trialogue.inputs.knowledge import load_catalogue
from trialogue.metrics.gates.detect import Vocabulary, gates_in, vocabulary_of
from trialogue.records import Dialogue, Ending, Need, Utterance
from trialogue.records.kinds.suspicions import Gate
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.needs import resolve_mentions
from trialogue.simulation.users.world import World
from trialogue.stats.comparison.inference import wilson

HERE = Path(__file__).parent
PAGE = HERE / "GATES.md"
SETS = {
    "D, measured before and after the last revision": "gates_written_d.tsv",
    "C, used for the last revision": "gates_written_c.tsv",
    "B, looked at after it was measured": "gates_written_b.tsv",
    "A, used for development": "gates_written_a.tsv",
    "by the author of the detectors": "gates_planted.tsv",
}
KINDS = {"refused": Gate.ASSISTANT_ROLE, "machine_text": Gate.ASSISTANT_ROLE}
"""Kinds of faults in D that have no gate of their own."""
FIRST = "Found by the first detectors (commit c0cdc59b), of 40 each: "
EARLIER = {
    "gates_written_d.tsv": "Found before the revision: assistant_role 23 of 44, endless_thanks 15, loop 13, truncated 7, "
    "need_contradicted 13 and target_leaked 14 of 16; two near misses of need_contradicted fired.",
    "gates_written_c.tsv": f"{FIRST}assistant_role 16, endless_thanks 9, loop 18, truncated 12, need_contradicted 16, "
    "target_leaked 34. Before it was used: 35, 36, 38, 18, 32, 34.",
    "gates_written_b.tsv": f"{FIRST}assistant_role 8, endless_thanks 10, loop 28, truncated 9, need_contradicted 16, "
    "target_leaked 35.",
    "gates_written_a.tsv": f"{FIRST}assistant_role 12, endless_thanks 9, loop 29, truncated 7, need_contradicted 14, "
    "target_leaked 39.",
}
CORPORA = {"INSPIRED (dev, test)": "inspired", "CRSArena-Dial": "crsarena-dial", "KDD 2020": "kdd2020"}
CORPORA |= {"ReDial (validation)": "redial", "MovieBot": "moviebot", "IARD": "iard"}
HELD_OUT = {"USS: SGD *": "uss/SGD.txt", "USS: CCPE, transcribed speech *": "uss/CCPE.txt"}
HOSTS = 60


@dataclass(frozen=True)
class Planted:
    """A fault, or a near miss, in a dialogue."""

    gate: Gate
    is_fault: bool
    words: str
    dialogue: Dialogue


def hosts(world: World) -> list[Dialogue]:
    """Dialogues of agenda-based users, into which faults are planted."""
    users = load_kind("cir6-pkg").settle(world)
    agent = make_agent("reference:guided")
    return [DialogueRunner()(agent, users, task) for task in Plan(("guided",), ("cir6-pkg",), HOSTS)]


def planted(world: World, rows: Path) -> Iterator[Planted]:
    """Every row in a host of its own, as many rows as hosts at a time."""
    found = [each for each in hosts(world) if each.need is not None and each.need.constraints]
    vocabulary = vocabulary_of(each.need for each in found if each.need is not None)
    for number, line in enumerate(rows.read_text(encoding="utf-8").split("\n")[1:]):
        if not line:
            continue
        gate, fault, text = line.split("\t")
        host = found[number % len(found)]
        assert host.need is not None
        said = filled(text, host.need, world.catalogue, vocabulary)
        yield Planted(KINDS.get(gate) or Gate(gate), fault == "1", text, with_words(host, said.split(" | "), world))


def filled(text: str, need: Need, catalogue: Catalogue, vocabulary: Vocabulary) -> str:
    """A row's words, with titles and values of a need in their places."""
    target, known = catalogue[need.targets[0]], catalogue[need.known[0]]
    genre = next((each for each in need.constraints if each.attribute == "genre"), need.constraints[0])
    others = sorted(vocabulary[genre.attribute] - {v for c in need.constraints for v in c.values})
    values = {"title": target.title, "lower": target.title.lower(), "upper": target.title.upper()}
    values |= {"titled": target.title_with_year, "known": known.title}
    values |= {"own": genre.values[0].lower(), "other": others[len(text) % len(others)].lower()}
    return text.format_map(values)


def with_words(host: Dialogue, said: list[str], world: World) -> Dialogue:
    """A host's first exchange, then the words, each answered by the agent without a title."""
    assert host.need is not None
    more = [each for text in said for each in (user(text), Utterance(speaker="system", text="I see.", mentions=()))]
    need = host.need
    utterances, need = resolve_mentions((*host.utterances[:2], *more), need, world.catalogue, world.linker)
    return host.model_copy(update={"utterances": utterances, "need": need, "ended_by": Ending.TURN_LIMIT})


def user(text: str) -> Utterance:
    """A message of the user, in which nobody looked for titles yet."""
    return Utterance(speaker="user", text=text)


def main() -> None:
    """Write the page; or print what the gates find in a file of dialogues."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--file", type=Path, nargs="+", help="dialogues with faults (gates_dialogues.py); prints, writes nothing"
    )
    parser.add_argument("--missed", action="store_true", help="print the dialogues that are judged wrongly")
    parser.add_argument("--as-written", action="store_true", help="keep labels that the definitions change")
    given = parser.parse_args()
    if given.file is None:
        write_page()
        return
    for path in given.file:
        cases = list(judged(path, None if given.as_written else by_definition()))
        print(f"{path.name}\n\n{counted(cases, [each.fires for each in cases], own_rows=True)}\n")
        if given.missed:
            print("\n".join(missed(cases)))


def write_page() -> None:
    """Measure all sets, and people."""
    assert os.environ.get("TRIALOGUE_DATA_MIRROR"), "set TRIALOGUE_DATA_MIRROR"
    known = load_catalogue("demo")
    world = World(known.catalogue, known.ratings)
    page = [INTRO]
    for title, name in SETS.items():
        page += [
            f"## Planted faults: {title} (`{name}`)",
            found_in(list(planted(world, HERE / name)), FactIndex(world.catalogue)),
        ]
        if name in EARLIER:
            page.append(EARLIER[name])
    page += gates_descriptions.section(world, hosts(world), HERE)
    page += [PEOPLE, people()]
    PAGE.write_text("\n\n".join(page) + "\n", encoding="utf-8")


def found_in(cases: Sequence[Planted], facts: FactIndex) -> str:
    """Table of what each gate finds in a set."""
    vocabulary = vocabulary_of(each.dialogue.need for each in cases if each.dialogue.need is not None)
    fires = [gates_in(each.dialogue, vocabulary, facts) for each in cases]
    return counted(cases, [frozenset(gate for gate in found if found[gate]) for found in fires])


def counted(cases: Sequence[Planted | Judged], fires: Sequence[frozenset[Gate]], *, own_rows: bool = False) -> str:
    """Table of recall and precision, by gate; with ``own_rows``, rows are labelled for their own gate only."""
    rows = []
    for gate in dict.fromkeys(each.gate for each in cases):
        pairs = [(each, gate in found) for each, found in zip(cases, fires, strict=True)]
        hit = sum(fired for each, fired in pairs if each.gate is gate and each.is_fault)
        faults = sum(each.is_fault for each in cases if each.gate is gate)
        near = sum(fired for each, fired in pairs if each.gate is gate and not each.is_fault)
        elsewhere = sum(fired for each, fired in pairs if each.gate is not gate)
        shares = [share_text(hit, faults, 2), share_text(hit, hit + near + (0 if own_rows else elsewhere), 2)]
        rows.append([gate.value, f"{hit} of {faults}", *shares, str(near), str(elsewhere)])
    heads = ["gate", "found", "recall", "precision", "near misses that fire", "rows of other gates that fire"]
    return "\n".join(table(heads, rows))


def people() -> str:
    """How often each gate fires on dialogues of people."""
    lines = []
    mirror = Path(os.environ["TRIALOGUE_DATA_MIRROR"])
    for title, corpus in (CORPORA | {title: str(mirror / name) for title, name in HELD_OUT.items()}).items():
        dialogues = list(gather([corpus]).dialogues)
        counts: Counter[Gate] = Counter()
        known: Counter[Gate] = Counter()
        faulty = 0
        for dialogue in dialogues:
            found = gates_in(dialogue)
            faulty += any(found.values())
            for gate, fires in found.items():
                known[gate] += fires is not None
                counts[gate] += bool(fires)
        lines += [share_row(title, gate.value, counts[gate], known[gate]) for gate in Gate if known[gate]]
        lines.append(share_row(title, "any of them", faulty, len(dialogues)))
    return "\n".join(table(["corpus", "gate", "dialogues", "fires", "share"], lines))


def share_row(corpus: str, gate: str, fires: int, dialogues: int) -> list[str]:
    """How often a gate fires in a corpus."""
    return [corpus, gate, str(dialogues), str(fires), share_text(fires, dialogues, 3)]


def share_text(hits: int, size: int, digits: int) -> str:
    """A share with Wilson's interval."""
    if not size:
        return "-"
    share = wilson(hits, size).interval
    assert share is not None
    return f"{hits / size:.{digits}f} [{share.low:.{digits}f}, {share.high:.{digits}f}]"


INTRO = """# Gates of users

Made by `python -m benchmarks.gates`. What each gate counts was defined after five authors had written their rows
(`docs/reference/language-model-users.md`). **By the definitions** 92 rows of the three files of whole dialogues have
another label (`gates_definitions.tsv`): 41 leaks describe the target, read out a need or come after the agent, 41
contradictions are of facts about a person, of what others want, or not of a value by its name, nine clean rows name
the target, and one asks for what it dislikes. The detectors were then revised with all five authors' rows in sight,
**so these numbers are kind** (recall and false alarms before the revision, by the same labels, in brackets):

| gate | third author | fourth | fifth | near misses and plain dialogues that fire |
|---|--:|--:|--:|--:|
| assistant_role | .97 (.97) | 1.00 (.71) | 1.00 (.88) | 0 of 107 (5) |
| endless_thanks | .80 (.80) | .95 (.95) | .92 (.92) | 1 of 107 (1) |
| loop | .83 (.83) | .90 (.90) | .96 (.96) | 2 of 107 (3) |
| truncated | .80 (.83) | .75 (.75) | .88 (.84) | 1 of 107 (8) |
| target_leaked | .90 (.85) | 1.00 (.73) | 1.00 (.62) | 1 of 97 (4) |
| need_contradicted | 2 of 3 (2 of 3) | .80 (.45) | .81 (.56) | 3 of 106 (11) |

With the authors' own labels (`--as-written`), target_leaked finds .33, .75 and .32, and need_contradicted .07, .67
and .52 of their faults: who reads out a need or profile is no longer a leak, but speaks as a model does. What
changed:

- target_leaked: an item is known by every name of `title_forms`: parts of its title that no other title has, without
  maker, hero or subtitle, models ("QX-4000", "15 Pro"), initials, numbers in words, and one rare word or a short
  misspelt one where something is named ("put on rogan", "Rogan, perhaps?"). With every film of the catalogue as a
  target, 45 messages of people that fired were drawn and read: but for a rule that was then removed, and four with a
  series or a common word, they name it.
- need_contradicted: values in the plural, with or without a hyphen, decades in words, comparatives that say what is
  best; no wish is what is quoted, part of a title, turned down, taken back or an answer to what to avoid, nor a value
  with some of the words of the need's own.
- truncated: a last preposition needs words that leave a place for it ("the one I told you of"), or the message is
  cut; half a word counts of users who set no marks, too.
- assistant_role: talk about models is none; whoever reads out a profile is one.

**A sixth author** (`gates_dialogues_unseen_4.tsv`, 150 faults, 120 near misses and 40 plain dialogues), who had read the
definitions and nothing else, was counted once, on finished code (commit 82c30b20). **These are today's detectors on an
author nobody had read:**

| gate | found | recall | precision |
|---|--:|--:|--:|
| assistant_role | 22 of 25 | 0.88 [0.70, 0.96] | 0.96 [0.79, 0.99] |
| endless_thanks | 17 of 25 | 0.68 [0.48, 0.83] | 0.85 [0.64, 0.95] |
| loop | 22 of 25 | 0.88 [0.70, 0.96] | 0.96 [0.79, 0.99] |
| truncated | 18 of 25 | 0.72 [0.52, 0.86] | 0.95 [0.75, 0.99] |
| need_contradicted | 18 of 25 | 0.72 [0.52, 0.86] | 0.78 [0.58, 0.90] |
| target_leaked | 15 of 25 | 0.60 [0.41, 0.77] | 0.94 [0.72, 0.99] |

The goal (.90 and .95) is missed by every gate: in recall by all, in precision by four. On rows that had been read, the
same detectors (the table above) found .75 to 1.00. need_contradicted and target_leaked found .36 and .20 of the fifth
author's faults, who counted descriptions and inconsistent people, too. need_contradicted also fires on 12 rows of other
gates. Nothing was changed after this count but that a gate decides only if its precision here is .95 or more (truncated:
18 of 19, which is less).

Everything below is older, with the authors' own labels, unless it is a table that this program made.
The first detectors were tested on faults by their own author alone, and found 79
of 82. Faults by somebody who had not seen them showed that they found a fifth to two fifths of most kinds (A and B, 390
rows each, by one author). The second ones were written with A, measured once on B (assistant_role 25, endless_thanks
25, loop 39, truncated 14, need_contradicted 28, target_leaked 35 of 40), revised with B, and measured once on C, by
another author (35, 36, 38, 18, 32 and 34 of 40). Today's were revised with A, B and C alone. D was written before that
by somebody who had seen a few rows of A and C and no detector, measured before the revision, and again after it; its
author made the revision, so that the second number is a little kind. The goal was a recall of .90 and a precision of .95.

The hardest tests are two files of 420 whole dialogues each (35 faults and 35 near misses a gate, films, books, shops,
meals, music, hotels and games; many faults subtle by intention) by an author who had seen no detector: `--file`. When the
second was counted for the first time, the detectors of then found .31 of assistant_role, .29 of endless_thanks, .77 of
loop, .69 of truncated, .06 of need_contradicted and .49 of target_leaked. Phrases had not carried over from one file to
the other, so today's look at what both sides do: two different moves of a recommender that do not overlap (offers, what
the other will like, what is "your ..." of a seeker, whom an item suits); turns in which both sides echo each other and
nobody asks or names anything; questions asked again after their answer; "yes" to a choice; a marker or single letters at
the end of a message; profiles, cards and constraints that are read out. A third file (`gates_dialogues_unseen.tsv`, 360
dialogues, 30 faults and 30 near misses a gate, by another author who had seen no detector) was counted once, on code that
was finished before it was opened (commit 48dd6a26). **These are the numbers of an author nobody had read:**

| gate | recall | precision |
|---|--:|--:|
| assistant_role | 0.70 [0.52, 0.83] | 1.00 [0.85, 1.00] |
| endless_thanks | 0.70 [0.52, 0.83] | 1.00 [0.85, 1.00] |
| loop | 0.63 [0.46, 0.78] | 1.00 [0.83, 1.00] |
| truncated | 0.73 [0.56, 0.86] | 0.81 [0.63, 0.92] |
| need_contradicted | 0.07 [0.02, 0.21] | 0.40 [0.12, 0.77] |
| target_leaked | 0.73 [0.56, 0.86] | 0.71 [0.53, 0.84] |

The third file was then read, and its misses were sorted by what they have in common. Today's detectors find (recall;
rows by one author in the first two columns, by another in the third; **all three were read, so these numbers are kind**):

| gate | first file | second file | third file | precision |
|---|--:|--:|--:|--:|
| assistant_role | 1.00 | .91 | .97 (.70) | .97, 1.00, 1.00 |
| endless_thanks | .86 | .69 (.66) | .80 (.70) | .97, .92, 1.00 |
| loop | .89 (.83) | .94 (.91) | .83 (.63) | 1.00, .97, .96 |
| truncated | .94 | .80 (.77) | .83 (.73) | 1.00, .93, .96 |
| need_contradicted | .09 | .06 | .07 | .50, 1.00, .40 |
| target_leaked | .97 | .94 | 1.00 (.73) | 1.00, 1.00, .77 |

In brackets what the same file gave before. Two changes are of structure, and were wanted by both authors: a loop is three
turns in a row that share .6 of the words of their subject, or four that share .5, to different replies (it also
replaced two other rules, and fires on people as seldom as before); and half a word says that a message was cut only if the
user sets marks after other messages (near misses of the third file that fire: 5 before, 1 now). Courtesies of other
languages and a thankful "no" to an offer of more gave the third author 3 and the second file 1. What was added for
assistant_role and target_leaked are phrases: they found 8 of the 9 and all 8 faults that were missed of the third file, and
*none* of the 3 and 3 of the other author, so expect about .70 from the next one, as before.

A fourth file (`gates_dialogues_unseen_2.tsv`, 125 faults, 61 near misses and 40 plain dialogues by a fourth author, who
had seen no detector, but had read the page that describes the gates to users) was counted once, on finished code (commit
b580d7ed).
**These are the detectors of then on an author nobody had read:**

| gate | found | recall | precision |
|---|--:|--:|--:|
| assistant_role | 15 of 21 | 0.71 [0.50, 0.86] | 0.94 [0.72, 0.99] |
| endless_thanks | 19 of 20 | 0.95 [0.76, 0.99] | 0.95 [0.76, 0.99] |
| loop | 15 of 20 | 0.75 [0.53, 0.89] | 0.94 [0.72, 0.99] |
| truncated | 12 of 20 | 0.60 [0.39, 0.78] | 0.92 [0.67, 0.99] |
| target_leaked | 9 of 20 | 0.45 [0.26, 0.66] | 1.00 [0.70, 1.00] |
| need_contradicted | 9 of 24 | 0.38 [0.21, 0.57] | 0.69 [0.42, 0.87] |

Of the eleven leaks that were missed, most describe the target, misspell it or give its title in another language, where no
catalogue says what it is.

A fifth file (`gates_dialogues_unseen_3.tsv`, 150 faults, 120 near misses and 40 plain dialogues, on which no gate may fire,
by a fifth author, who had read the page that describes the gates to users and nothing else) was counted once, on finished
code (commit 1219bfc4). **These are the detectors of then on an author nobody had read:**

| gate | found | recall | precision |
|---|--:|--:|--:|
| assistant_role | 22 of 25 | 0.88 [0.70, 0.96] | 0.85 [0.66, 0.94] |
| endless_thanks | 23 of 25 | 0.92 [0.75, 0.98] | 1.00 [0.86, 1.00] |
| loop | 24 of 25 | 0.96 [0.80, 0.99] | 0.96 [0.80, 0.99] |
| truncated | 21 of 25 | 0.84 [0.65, 0.94] | 0.78 [0.59, 0.89] |
| target_leaked | 5 of 25 | 0.20 [0.09, 0.39] | 0.83 [0.44, 0.97] |
| need_contradicted | 9 of 25 | 0.36 [0.20, 0.55] | 0.69 [0.42, 0.87] |

The detectors before the last revision found 22 of its loops and were equal otherwise. Of the 20 leaks that were missed,
17 describe the target by plot, cover, characters or people, and the file has no catalogue with such facts; three name
it in another form ("1984", "rogan", a product without its maker). Only what knows the world would recognise them.
Truncated fires on a last message that ends with a preposition ("this is what I'm in for") or without the mark that the
user sets elsewhere, and assistant_role on users who talk *about* language models and personas. Nothing was changed
between reading them and this table. The goal (.90 and .95 for each gate) is reached for endless_thanks and loop.

Tried with one author left out at a time, and left out: a logistic regression on words, pairs and triples of words, fitted to
all other authors and half of the people, with 0.4 % of the other half as its bound. Beside the rules of then
it found .07 to .10 (role), .07 to .10 (thanks), .17 (loop) and .13 to .20 (truncated) more of the third file's faults, and
.07 to .13, 0, 0 to .07 and .13 to .16 more of its near misses; alone it fired on .06 to .32 of those of A to C.

Of the nine near misses of target_leaked that fire, six name the hidden title themselves ("I want to see Nebraska tonight"),
which a person may and a simulated user with a hidden target may not. Authors differ about a user who says that they have
changed their mind: three files count it as contradicting the need, two do not; the gate does, since a need does not change.

The fourth file was then read, so that these numbers are kind: until a fifth author is asked, nobody knows. Of the fourth
file today's detectors find loop 18 of 20 (15 before), truncated 15 (12) and target_leaked 11 (9), of A and B one more each,
of the others what they found; no near miss of any file fires that did not, and no more people:

- loop: three messages in a row of seven words or more that share .6 of their threes of letters (Dice), to different
  replies, unless more than half of them have a word of content that no other has: who goes through values ("in white?",
  "in black?") asks for something new. Without that exception and with five words, four near misses of two files fired, and
  2.3 % of CRSArena-Dial; with it and five words, 1.05 % of it and 1.1 % of SGD.
- truncated: two last words of which everybody goes on ("preferably in", "in terms of"), and a currency without a number.
- target_leaked: titles without their articles, and titles of eight letters or more with slips ("Misspelt titles" below:
  .88 instead of .60 of all titles with slips in every second long word).

Tried and left out: for truncated, words and pairs of words that hardly ever end a message, counted on half of the people
(at most .5 % of 20 times: 6 more faults of 201, two more false rows, 1.0 % of ReDial; at 1 %: 9 more, 6 false, 1.6 %), and
unfinished endings in shorter messages of those who set marks (none of 201 faults, two near misses); for target_leaked, one
name with one rare word instead of two (1 of 30 descriptions, and 14 instead of 4 of ReDial's messages), names of
products without their maker (1 fault; people say them, too), and small rare words (2 faults, 2 false rows).

The goal (recall .90, precision .95) is out of reach for need_contradicted: half of its faults are of facts about the
person ("I've never seen a film of hers" after "I've seen all four"), and most others follow only from knowledge of the
world, while the gate knows typed values. Comparing what a user says in one turn with what they deny in another, where
both clauses are about themselves, share a word of content, and are absolute ("always", "never", "hate"), finds 10 of
the 100 faults and fires on 1 of 100 near misses, but on 2.5 % of people in INSPIRED and 4.8 % in CCPE; without
"absolute", 26 of 100, 7 of 100, and 7 to 40 % of people in six corpora. It was left out. Of endless_thanks, turns that
compliment each other in new words every time are missed; allowing one new word a turn finds two more in the third file,
and takes 2 % of ReDial and 4 % of INSPIRED, whose people do it, too; of truncated, a message cut at a whole word or in
a name looks like one without a mark (taking every long message without one, of a user who sets them, finds .97 and .89
of two files, and 8 % of ReDial); of loop, one thing told in other words throughout. A linear classifier of who speaks,
fitted to half of the people of ReDial, INSPIRED, KDD 2020 and SGD, was tried for assistant_role and left out: at 1 % of
people it found 1 of 35. A language model can be asked the same questions (`trialogue judge`, rubric `user_conduct`);
how well it answers was not measured. Of `truncated`, what the server records (`finish_reason`) is certain; Trialogue's
own users played by a language model record it, and a message that was cut off is never sent.

Rows of other gates that fire are often right: a loop of wishes for a thriller does contradict its host's need. A
refusal, and JSON or a tool call as the user's message, count as `assistant_role` (12 rows each in D). A user who reads out a
profile or instructions shows `assistant_role` and `target_leaked`: rows of the first kind fire as the second.

Intervals are Wilson's: they take rows for independent, and rows by one author are alike; how authors differ, no
interval shows. Precision is that among these rows, of which a tenth (A to C) are faults of the gate and 25 are near
misses of it; among dialogues it depends on how common faults are."""
PEOPLE = """## Dialogues of people

The goal is at most 1 % of dialogues for each gate. Phrases and bounds were chosen with these corpora, but for those
with *, on which bounds were checked, too, when the gates were widened last. Intervals are Wilson's, as if all
dialogues were of different people. On KDD 2020 one dialogue is .013. Some messages that fire are what the gate says:
those of the 19 dialogues of CCPE (transcribed speech), which were read, break off in mid-sentence: no false alarms, but no
person's fault either. Two of INSPIRED end in "excellen" and "frie", and were cut off.
Of several
messages of a turn only the last is judged; before, CCPE's pieces of sentences fired in 18.6 %.
Dialogues without a need or a recorded ending cannot show `target_leaked`, `need_contradicted` and `premature_stop`. Of
900 dialogues of agenda-based users none contradicts its need; ten did before, when a user who asked for more like the last
item named its genre."""

if __name__ == "__main__":
    main()
