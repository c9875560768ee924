"""Evaluate conversational recommender systems with metrics, simulated users and human ratings.

>>> import trialogue
>>> run = trialogue.evaluate("demo", resamples=1000)
>>> run.findings.primary
'human:satisfaction'

What is exported here is public, and so is what these packages and modules export: ``trialogue.agents``,
``trialogue.catalogue``, ``trialogue.datasets``, ``trialogue.errors``, ``trialogue.judges``, ``trialogue.metrics``,
``trialogue.records``, ``trialogue.records.files``, ``trialogue.seeds``, ``trialogue.simulation``, ``trialogue.stats`` and
``trialogue.strategies``. Everything else is private.
See docs/reference/python.md.
"""

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from trialogue.agents import Agent as Agent
    from trialogue.agents import make_agent as make_agent
    from trialogue.catalogue import Catalogue as Catalogue
    from trialogue.catalogue import Item as Item
    from trialogue.catalogue import Ratings as Ratings
    from trialogue.errors import DataError as DataError
    from trialogue.errors import MissingDataError as MissingDataError
    from trialogue.errors import MissingExtraError as MissingExtraError
    from trialogue.errors import TrialogueError as TrialogueError
    from trialogue.errors import UnknownNameError as UnknownNameError
    from trialogue.errors import UsageError as UsageError
    from trialogue.findings import Contrast as Contrast
    from trialogue.findings import Findings as Findings
    from trialogue.findings import League as League
    from trialogue.findings import Measure as Measure
    from trialogue.findings import Standing as Standing
    from trialogue.findings.agreement.records import AgreementFindings as AgreementFindings
    from trialogue.findings.judging.conclude import JudgeSettings as JudgeSettings
    from trialogue.findings.judging.records import JudgingFindings as JudgingFindings
    from trialogue.findings.passport.records import PassportFindings as PassportFindings
    from trialogue.findings.people.records import StudyFindings as StudyFindings
    from trialogue.findings.planning.comparison_power import ComparisonPlan as ComparisonPlan
    from trialogue.findings.planning.study_power import PowerFindings as PowerFindings
    from trialogue.records import Card as Card
    from trialogue.records import Dialogue as Dialogue
    from trialogue.records import DialogueAct as DialogueAct
    from trialogue.records import Ending as Ending
    from trialogue.records import Estimate as Estimate
    from trialogue.records import Interval as Interval
    from trialogue.records import Labeller as Labeller
    from trialogue.records import Manifest as Manifest
    from trialogue.records import Mention as Mention
    from trialogue.records import Need as Need
    from trialogue.records import Preference as Preference
    from trialogue.records import Raters as Raters
    from trialogue.records import Rating as Rating
    from trialogue.records import Reason as Reason
    from trialogue.records import Response as Response
    from trialogue.records import Role as Role
    from trialogue.records import Score as Score
    from trialogue.records import Situation as Situation
    from trialogue.records import StrategyDistribution as StrategyDistribution
    from trialogue.records import StrategyLabel as StrategyLabel
    from trialogue.records import Utterance as Utterance
    from trialogue.simulation import UserModel as UserModel
    from trialogue.simulation import load_users as load_users
    from trialogue.simulation.batch.batch import Batch as Batch
    from trialogue.simulation.batch.simulation_file import SimulationFile as SimulationFile
    from trialogue.stats.correction.table import Estimand as Estimand
    from trialogue.workflows.agreement.agree import agree as agree
    from trialogue.workflows.agreement.result import Agreement as Agreement
    from trialogue.workflows.alignment.align import align as align
    from trialogue.workflows.alignment.run import AlignmentRun as AlignmentRun
    from trialogue.workflows.board.board import Board as Board
    from trialogue.workflows.board.board import board as board
    from trialogue.workflows.compare import ComparisonResult as ComparisonResult
    from trialogue.workflows.compare import compare as compare
    from trialogue.workflows.compare_plan import plan as plan
    from trialogue.workflows.display import Scores as Scores
    from trialogue.workflows.evaluation import Run as Run
    from trialogue.workflows.evaluation import evaluate as evaluate
    from trialogue.workflows.inputs.knowledge import Knowledge as Knowledge
    from trialogue.workflows.inputs.knowledge import load_catalogue as load_catalogue
    from trialogue.workflows.inputs.read import read as read
    from trialogue.workflows.judging.ask import JudgeScores as JudgeScores
    from trialogue.workflows.judging.ask import judge_scores as judge_scores
    from trialogue.workflows.judging.judge import LabelPlan as LabelPlan
    from trialogue.workflows.judging.judge import judge as judge
    from trialogue.workflows.judging.judge import plan_labels as plan_labels
    from trialogue.workflows.judging.pairs import JudgedPairs as JudgedPairs
    from trialogue.workflows.judging.pairs import judge_pairs as judge_pairs
    from trialogue.workflows.passport.passport import passport as passport
    from trialogue.workflows.passport.simulated_sample import PassportPlan as PassportPlan
    from trialogue.workflows.score import score as score
    from trialogue.workflows.simulation.simulate import simulate as simulate
    from trialogue.workflows.study.power import plan_study as plan_study
    from trialogue.workflows.study.report import study_findings as study_findings
    from trialogue.workflows.study.report import study_report as study_report

_MODULES = {
    "agents": ("Agent", "make_agent"),
    "catalogue": ("Catalogue", "Item", "Ratings"),
    "errors": (
        "DataError",
        "MissingDataError",
        "MissingExtraError",
        "TrialogueError",
        "UnknownNameError",
        "UsageError",
    ),
    "findings": ("Contrast", "Findings", "League", "Measure", "Standing"),
    "findings.agreement.records": ("AgreementFindings",),
    "findings.judging.conclude": ("JudgeSettings",),
    "findings.judging.records": ("JudgingFindings",),
    "findings.passport.records": ("PassportFindings",),
    "findings.people.records": ("StudyFindings",),
    "findings.planning.comparison_power": ("ComparisonPlan",),
    "findings.planning.study_power": ("PowerFindings",),
    "records": (
        "Card",
        "Dialogue",
        "DialogueAct",
        "Ending",
        "Estimate",
        "Interval",
        "Labeller",
        "Manifest",
        "Mention",
        "Need",
        "Preference",
        "Raters",
        "Rating",
        "Reason",
        "Response",
        "Role",
        "Score",
        "Situation",
        "StrategyDistribution",
        "StrategyLabel",
        "Utterance",
    ),
    "simulation": ("UserModel", "load_users"),
    "simulation.batch.batch": ("Batch",),
    "simulation.batch.simulation_file": ("SimulationFile",),
    "stats.correction.table": ("Estimand",),
    "workflows.agreement.agree": ("agree",),
    "workflows.agreement.result": ("Agreement",),
    "workflows.alignment.align": ("align",),
    "workflows.alignment.run": ("AlignmentRun",),
    "workflows.board.board": ("Board", "board"),
    "workflows.compare": ("ComparisonResult", "compare"),
    "workflows.compare_plan": ("plan",),
    "workflows.evaluation": ("Run", "evaluate"),
    "workflows.inputs.knowledge": ("Knowledge", "load_catalogue"),
    "workflows.inputs.read": ("read",),
    "workflows.score": ("score",),
    "workflows.display": ("Scores",),
    "workflows.judging.ask": ("JudgeScores", "judge_scores"),
    "workflows.judging.judge": ("LabelPlan", "judge", "plan_labels"),
    "workflows.judging.pairs": ("JudgedPairs", "judge_pairs"),
    "workflows.passport.simulated_sample": ("PassportPlan",),
    "workflows.passport.passport": ("passport",),
    "workflows.simulation.simulate": ("simulate",),
    "workflows.study.power": ("plan_study",),
    "workflows.study.report": ("study_findings", "study_report"),
}
"""Public names by the module that defines them."""
_PLACES = {name: module for module, names in _MODULES.items() for name in names}
__all__ = ["__version__", *_PLACES]


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used, so that ``import trialogue`` costs nothing."""
    if name not in _PLACES:
        raise AttributeError(f"module 'trialogue' has no attribute {name!r}")
    found = getattr(import_module(f"trialogue.{_PLACES[name]}"), name)
    if isinstance(found, FunctionType):
        found = import_module("trialogue.arguments").explains_arguments(found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
