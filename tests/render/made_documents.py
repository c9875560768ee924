"""Documents of every subject, made from small data."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.findings.raters import MANIFEST, rated, truth, votes
from tests.judges.probes.test_probes import dialogues
from tests.render.made_study import everything
from tests.subjects.board.commands.made import folder as run_folder
from tests.subjects.board.commands.made import share
from tests.subjects.board.commands.made import simulated as dialogues_met
from tests.subjects.judging.commands.test_judge import World
from tests.subjects.simulated_users.commands.test_passport import talks
from trialogue.findings.resampling import Resampling
from trialogue.judges.probe_kinds import ProbeKind
from trialogue.judges.probes import ProbeCase, ProbeCases
from trialogue.records import Estimate, Interval, write_records
from trialogue.render.document import Document
from trialogue.subjects.agreement.agreement import Plan, agreement
from trialogue.subjects.agreement.pages.document import agreement_document
from trialogue.subjects.board.commands.board import board
from trialogue.subjects.board.pages.document import board_document
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.comparison.pages.document import comparison_document
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.judging.commands.judge import judge
from trialogue.subjects.judging.pages.document import judging_document
from trialogue.subjects.judging.probes import probe_findings
from trialogue.subjects.people.pages.document import study_document
from trialogue.subjects.simulated_users.commands.passport import passport
from trialogue.subjects.simulated_users.pages.document import passport_document
from trialogue.subjects.simulated_users.pages.realism import realism_document
from trialogue.subjects.simulated_users.realism.records import Divergence, Gap, RealismFindings, TwoSample

HOSTILE = "<script>alert(1)</script> 満足 [bold]"


def corrected(folder: Path) -> Document:
    """A judge with labels, and a probe."""
    cases = tuple(ProbeCase(each.id, 1.0 + place % 2, 3.0) for place, each in enumerate(dialogues()))
    probes = probe_findings("tiny", "overall", [ProbeCases(ProbeKind.INJECTION, cases)], points=(0, 4))
    return judging_document(World(folder).judged().model_copy(update={"probes": probes}))


def uncorrected(folder: Path) -> Document:
    """A judge without labels."""
    files = World(folder).files()
    return judging_document(judge(files["dialogues"], aspect="overall", scores=files["scores"]))


def simulated(folder: Path) -> Document:
    """A passport of wordy users beside real ones."""
    paths = [folder / name for name in ("simulated.jsonl", "people.jsonl")]
    write_records(paths[0], talks(20, words=8, seed=2, name="s"))
    write_records(paths[1], talks(20, words=4, seed=1))
    with pytest.MonkeyPatch.context() as patch:  # the classifier over two random halves, not twenty, takes seconds less
        patch.setattr("trialogue.subjects.simulated_users.behavior.SPLITS", 2)
        return passport_document(passport(str(paths[0]), [str(paths[1])], resamples=100))


def realism(_folder: Path) -> Document:
    """Invented estimates of one feature with a hostile name."""

    def value(x: float) -> Estimate:
        return Estimate(value=x, interval=Interval(low=x - 0.1, high=x + 0.1, method="made up"), n=20)

    gap = Gap(name="w", title=HOSTILE, real=value(3), simulated=value(5), difference=value(2), giveaway=value(0.8))
    acts = Divergence(acts="acts", value=value(0.2), split_half=value(0.05), shares={"ask": (0.5, 0.25)})
    test = TwoSample(auc=value(0.7), folds=5, real=20, simulated=20, weights={"w": 1.0})
    found = RealismFindings(
        title="t", answer=("They can.",), gaps=(gap,), divergence=acts, two_sample=test, manifest=MANIFEST
    )
    return realism_document(found)


def agreed(_folder: Path) -> Document:
    """A good measure with a hostile name, and a baseline that ranks backwards, against ratings and votes of groups."""
    good, systems = truth(90)
    scores = rated(good, (good > 2.5).astype(float), systems, measure=HOSTILE)
    scores += rated(good[::-1], [None] * 90, systems, measure="length@words|v1")
    plan = Plan(
        baselines=("length@words|v1",),
        group_of=lambda system: "one" if system < "d" else "two",
        resampling=Resampling(0, 50),
    )
    found = agreement(scores, votes(good, systems, tie=0.5), title=HOSTILE, data="d", manifest=MANIFEST, plan=plan)
    return agreement_document(found)


def agreed_by_users(_folder: Path) -> Document:
    """A measure without a value for every third unit, and users who rated three each."""
    good, systems = truth(90)
    values = [value if place % 3 else float("nan") for place, value in enumerate(good)]
    scores = rated(values, good, systems, raters=[f"p{place // 3}" for place in range(90)])
    found = agreement(scores, title="t", data="d", manifest=MANIFEST, plan=Plan(resampling=Resampling(0, 50)))
    return agreement_document(found)


def board_of_versions(folder: Path) -> Document:
    """Three comparable versions, one of other users, and a copy."""
    parts = (("v1", 0.5, 0), ("v2", 0.55, 0), ("v3", 0.9, 0), ("other", 1.0, 1))
    runs = [run_folder(folder / name, dialogues_met("mine", share(part), seed=seed)) for name, part, seed in parts]
    return board_document(board(*runs, runs[0], baseline="v1").findings)


def compared(_folder: Path) -> Document:
    """Two bundled systems, of which one is worse, with invented raters and losses."""
    run = evaluate("demo", metrics=["length@words", "distinct(n=2)@ratio"], resamples=200)
    return comparison_document(compare(run, run, systems=["aria", "chip"], resamples=200).comparison)


def studied(_folder: Path) -> Document:
    """A study of everything."""
    return study_document(everything())


DOCUMENTS: Mapping[str, Callable[[Path], Document]] = {
    "judging": corrected,
    "judging-raw": uncorrected,
    "passport": simulated,
    "realism": realism,
    "agreement": agreed,
    "agreement-users": agreed_by_users,
    "study": studied,
    "board": board_of_versions,
    "comparison": compared,
}
