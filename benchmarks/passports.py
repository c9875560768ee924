"""Passports of simulators that anybody can get, and what the passport makes of no difference: ``PASSPORTS.md``.

    python -m benchmarks.passports bundled OUT      the bundled users beside the real ones of KDD 2020 (about 2 CPU minutes)
    python -m benchmarks.passports concept OUT      CONCEPT's published dialogues beside CRSArena-Dial (half a minute)
    python -m benchmarks.passports recllmsim OUT    RecLLMSim's model user beside its people, in Chinese (a minute)
    python -m benchmarks.passports null             halves of real users in five corpora, 200 times (about 4 CPU minutes)

``concept`` and ``recllmsim`` read the publishers' folders from the mirror of the data (``TRIALOGUE_DATA_MIRROR``).
"""

import os
import sys
from pathlib import Path

import numpy as np

from benchmarks.tables import table
from trialogue.datasets.corpora.recllmsim import CHINESE, LLM_PART, PARTS
from trialogue.findings.resampling import Resampling
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue, Estimate
from trialogue.records.files.jsonl import write_records
from trialogue.render.media.files import write_document
from trialogue.render.media.terminal import document_text
from trialogue.seeds import rng_for
from trialogue.subjects.simulated_users.behavior import discriminators_of, part_of
from trialogue.subjects.simulated_users.commands.passport import AGENTS, passport
from trialogue.subjects.simulated_users.commands.realism_features import FEATURES, has_words
from trialogue.subjects.simulated_users.commands.sides import user_side
from trialogue.subjects.simulated_users.commands.simulated_sample import PassportPlan
from trialogue.subjects.simulated_users.distances import distances_of
from trialogue.subjects.simulated_users.pages.document import passport_document

SPLITS = 200
DISTANCE_SPLITS = 20
TITLES = {name: title for name, (title, _) in FEATURES.items()}
WAYS = ("off-topic", "repeated", "reference:popular")


def in_chinese(dialogue: Dialogue) -> Dialogue:
    """A dialogue in Chinese: as published, or, of the model's, as the publisher translated it."""
    said = tuple(
        each.model_copy(update={"text": str(each.meta[CHINESE])}) if CHINESE in each.meta else each
        for each in dialogue.utterances
    )
    return dialogue.model_copy(update={"utterances": said})


def bundled(out: Path) -> None:
    """The three kinds of users that come with Trialogue; the best one with every kind of sabotage and five seeds."""
    for users in ("cir6-pkg", "cir6-single", "qrfa-single"):
        best = users == "cir6-pkg"
        plan = PassportPlan(AGENTS, n=100, seeds=5 if best else 1, ways=WAYS if best else ("off-topic",))
        found = passport(users, ["kdd2020"], plan=plan, out=out / users, progress=print)
        write_document(passport_document(found), out / users)
        print(document_text(passport_document(found), width=120))


def concept(out: Path) -> None:
    """300 dialogues of an LLM user with four systems, beside people who met the same four."""
    folder = Path(os.environ["TRIALOGUE_DATA_MIRROR"]) / "concept_redial" / "dataset" / "dialog_data"
    found = passport(str(folder), ["crsarena-dial"], progress=print)
    write_document(passport_document(found), out / "concept")
    print(document_text(passport_document(found), width=120))


def recllmsim(out: Path) -> None:
    """300 dialogues of a model as the user beside 964 and 132 of people in two studies, with other assistants."""
    folder = Path(os.environ["TRIALOGUE_DATA_MIRROR"]) / "recllmsim"
    for part in PARTS:
        write_records(out / f"{part}.jsonl", map(in_chinese, gather([str(folder / part)]).dialogues))
    for people in ("human_exp_V2", "real_human_user"):
        found = passport(str(out / f"{LLM_PART}.jsonl"), [str(out / f"{people}.jsonl")], progress=print)
        write_document(passport_document(found), out / people)
        print(document_text(passport_document(found), width=120))


def null() -> None:
    """How often halves of the same people are called different: by each distance, and by the classifier."""
    mirror = os.environ["TRIALOGUE_DATA_MIRROR"]
    rows = []
    for corpus in ("crsarena-dial", "kdd2020", "inspired", f"{mirror}/uss/SGD.txt", "redial"):
        people = [each for each in gather([corpus]).dialogues if has_words(each)]
        every = user_side(people, from_labels=False)
        users = sorted(set(every.clusters))
        found: dict[str, list[Estimate]] = {}
        for split in range(SPLITS):
            order = rng_for(split, "halves of people").permutation(len(users))
            first = np.isin(np.array(every.clusters), [users[place] for place in order[: len(users) // 2]])
            one, other = (part_of(every, kept) for kept in (first, ~first))
            for each in discriminators_of(one, other, TITLES, Resampling())[0][:2]:
                found.setdefault(each.title, []).append(each.auc)
        for title, estimates in found.items():
            rows.append([Path(corpus).stem, f"{len(people)} of {len(users)}", title, *_null_row(estimates)])
    heads = ["people", "dialogues", "discriminator", "mean AUC", "its SD over splits", "intervals with .5"]
    print("\n".join(table(heads, rows)))
    null_distances()


def _null_row(estimates: list[Estimate]) -> list[str]:
    values = np.array([each.value for each in estimates if each.value is not None])
    intervals = [each.interval for each in estimates if each.interval is not None]
    covering = sum(each.contains(0.5) for each in intervals)
    return [
        f"{values.mean():.3f}",
        f"{values.std(ddof=1):.3f}",
        f"{covering} of {len(intervals)} ({covering / len(intervals):.3f})",
    ]


def null_distances() -> None:
    """How often the excess of a distance lies above 0 for halves of CRSArena's people."""
    people = [each for each in gather(["crsarena-dial"]).dialogues if has_words(each)]
    users = sorted({each.cluster for each in people})
    above: dict[str, int] = {}
    for split in range(DISTANCE_SPLITS):
        order = rng_for(split, "halves of people").permutation(len(users))
        first = {users[place] for place in order[: len(users) // 2]}
        sides = [[each for each in people if (each.cluster in first) == kind] for kind in (True, False)]
        one, other = (user_side(side, from_labels=False) for side in sides)
        for each in distances_of(one, other, Resampling(resamples=500)):
            interval = each.excess.interval
            above[each.name] = above.get(each.name, 0) + (interval is not None and interval.low > 0)
    print(f"CRSArena, {DISTANCE_SPLITS} splits: intervals of an excess wholly above 0:", above)


if __name__ == "__main__":
    if sys.argv[1:] == ["null"]:
        null()
    else:
        {"bundled": bundled, "concept": concept, "recllmsim": recllmsim}[sys.argv[1]](Path(sys.argv[2]))
