"""What a very small language model gives as simulated users, and what the gates make of it; prints two tables.

    python -m benchmarks.small_model --model models/smollm2.gguf --out runs/small

Twelve dialogues with each kind of user: four needs with each of the three reference recommenders on MovieLens (latest,
small: `trialogue data get`). Needs the extra ``local``. A folder that was begun is continued; with its cache, a second run
asks nothing.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.tables import table
from trialogue.metrics.gates.detect import gates_in, vocabulary_of
from trialogue.records import Dialogue, Ending, read_records
from trialogue.records.kinds.suspicions import Gate
from trialogue.simulating.simulate import simulate

KINDS = ("single", "dual", "target-item", "target-free", "worded")
AGENTS = ("reference:guided", "reference:item-centred", "reference:genre-led")
NEEDS = 4
WORD_GATES = (Gate.ASSISTANT_ROLE, Gate.LOOP, Gate.PREMATURE_STOP, Gate.ENDLESS_THANKS, Gate.TRUNCATED)
NEED_GATES = (Gate.NEED_CONTRADICTED, Gate.TARGET_LEAKED)


def run(model: Path, out: Path, kind: str) -> list[Dialogue]:
    """The dialogues with one kind of user."""
    options = {"folder": str(model), "temperature": 0.7, "max_tokens": 120, "cache": str(out / "cache")}
    simulate(
        {
            "agents": {name.partition(":")[2]: {"agent": name} for name in AGENTS},
            "users": {kind: {"users": f"llm:{kind}", **options}},
            "catalogue": "movielens-latest-small",
            "n": NEEDS,
            "max_turns": 6,
            "baselines": 0,
            "out": str(out / kind),
        }
    )
    return list(read_records(out / kind / "dialogues.jsonl", Dialogue))


def rows(dialogues: Mapping[str, Sequence[Dialogue]]) -> Iterator[Sequence[str]]:
    """Endings and faults, a column for each kind."""
    everything = [each for own in dialogues.values() for each in own]
    vocabulary = vocabulary_of([each.need for each in everything if each.need is not None])
    faults = {kind: [gates_in(each, vocabulary) for each in own] for kind, own in dialogues.items()}
    errors = [sum(each.ended_by is Ending.USER_ERROR for each in own) for own in dialogues.values()]
    yield "dialogues", *(str(len(own)) for own in dialogues.values())
    yield "ended because an answer was cut off or unusable", *map(str, errors)
    for gate in (*WORD_GATES, *NEED_GATES):
        known = [[fault[gate] for fault in own if fault[gate] is not None] for own in faults.values()]
        yield f"`{gate.value}`", *(f"{sum(map(bool, own))} of {len(own)}" for own in known)
    yield "any gate", *(str(sum(any(fault.values()) for fault in own)) for own in faults.values())
    said = [
        [each.text for one in own for each in one.utterances if each.speaker == "user"] for own in dialogues.values()
    ]
    yield "messages sent", *(str(len(own)) for own in said)
    yield "words per message", *(f"{sum(len(t.split()) for t in own) / len(own):.1f}" if own else "-" for own in said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    dialogues = {kind: run(given.model, given.out, kind) for kind in KINDS}
    print("\n".join(table(("", *dialogues), rows(dialogues))))
    texts = {
        each.text for own in dialogues.values() for one in own for each in one.utterances if each.speaker == "user"
    }
    (given.out / "messages.txt").write_text("\n".join(sorted(text.replace("\n", " ") for text in texts)), "utf-8")


if __name__ == "__main__":
    main()
