"""Passports of simulators that anybody can get, and what the passport makes of no difference: ``PASSPORTS.md``.

    python -m benchmarks.passports bundled OUT      the bundled users beside the real ones of KDD 2020 (about 2 CPU minutes)
    python -m benchmarks.passports concept OUT      CONCEPT's published dialogues beside CRSArena-Dial (half a minute)
    python -m benchmarks.passports recllmsim OUT    RecLLMSim's model user beside its people, in Chinese (a minute)
    python -m benchmarks.passports null             real users beside other real users, 20 times (about 2 CPU minutes)

``concept`` and ``recllmsim`` read the publishers' folders from the mirror of the data (``TRIALOGUE_DATA_MIRROR``).
"""

import os
import sys
from pathlib import Path

import numpy as np

from trialogue.datasets.corpora.recllmsim import LLM_PART, PARTS, in_chinese
from trialogue.findings.passport.discriminators import discriminators_of
from trialogue.findings.passport.distances import distances_of
from trialogue.findings.resampling import Resampling
from trialogue.records.files.jsonl import write_records
from trialogue.report.passport.document import passport_document
from trialogue.report.render.files import write_document
from trialogue.report.render.terminal import document_text
from trialogue.seeds import rng_for
from trialogue.workflows.inputs.inputs import gather
from trialogue.workflows.passport.passport import AGENTS, passport
from trialogue.workflows.passport.sides import user_side
from trialogue.workflows.passport.simulated_sample import PassportPlan
from trialogue.workflows.simulation.realism_features import FEATURES, has_words

SPLITS = 20
WAYS = ("off-topic", "repeated", "reference:popular")


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
    people = [each for each in gather(["crsarena-dial"]).dialogues if has_words(each)]
    users = sorted({each.cluster for each in people})
    how = Resampling(resamples=500)
    above: dict[str, int] = {}
    aucs = []
    for split in range(SPLITS):
        order = rng_for(split, "halves of people").permutation(len(users))
        first = {users[place] for place in order[: len(users) // 2]}
        sides = [[each for each in people if (each.cluster in first) == kind] for kind in (True, False)]
        one, other = (user_side(side, from_labels=False) for side in sides)
        for each in distances_of(one, other, how):
            interval = each.excess.interval
            above[each.name] = above.get(each.name, 0) + (interval is not None and interval.low > 0)
        auc = discriminators_of(one, other, {name: title for name, (title, _) in FEATURES.items()}, how)[0][0].auc
        aucs.append((auc.value or 0.5, auc.interval is not None and not auc.interval.contains(0.5)))
    values = np.array([value for value, _ in aucs])
    print(f"{SPLITS} splits of {len(people)} dialogues of {len(users)} people")
    print("intervals of an excess wholly above 0:", above)
    print(f"AUC {values.mean():.3f} (sd {values.std(ddof=1):.3f}); intervals without .5: {sum(off for _, off in aucs)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["null"]:
        null()
    else:
        {"bundled": bundled, "concept": concept, "recllmsim": recllmsim}[sys.argv[1]](Path(sys.argv[2]))
