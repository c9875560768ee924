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
    from trialogue.inputs.knowledge import Knowledge as Knowledge
    from trialogue.inputs.knowledge import load_catalogue as load_catalogue
    from trialogue.inputs.read import read as read
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
    from trialogue.simulating.simulate import simulate as simulate
    from trialogue.simulation import UserModel as UserModel
    from trialogue.simulation import load_users as load_users
    from trialogue.simulation.batch.batch import Batch as Batch
    from trialogue.simulation.batch.simulation_file import SimulationFile as SimulationFile
    from trialogue.stats.correction.table import Estimand as Estimand
    from trialogue.subjects.agreement.commands.agree import Agreement as Agreement
    from trialogue.subjects.agreement.commands.agree import agree as agree
    from trialogue.subjects.agreement.records import AgreementFindings as AgreementFindings
    from trialogue.subjects.alignment.commands.align import align as align
    from trialogue.subjects.alignment.commands.result import AlignmentRun as AlignmentRun
    from trialogue.subjects.board.commands.board import Board as Board
    from trialogue.subjects.board.commands.board import board as board
    from trialogue.subjects.comparison.commands.compare import ComparisonResult as ComparisonResult
    from trialogue.subjects.comparison.commands.compare import compare as compare
    from trialogue.subjects.evaluation.commands.display import Scores as Scores
    from trialogue.subjects.evaluation.commands.evaluate import Run as Run
    from trialogue.subjects.evaluation.commands.evaluate import evaluate as evaluate
    from trialogue.subjects.judging.commands.ask import JudgeScores as JudgeScores
    from trialogue.subjects.judging.commands.ask import judge_scores as judge_scores
    from trialogue.subjects.judging.commands.judge import LabelPlan as LabelPlan
    from trialogue.subjects.judging.commands.judge import judge as judge
    from trialogue.subjects.judging.commands.judge import plan_labels as plan_labels
    from trialogue.subjects.judging.commands.pairs import JudgedPairs as JudgedPairs
    from trialogue.subjects.judging.commands.pairs import judge_pairs as judge_pairs
    from trialogue.subjects.judging.conclude import JudgeSettings as JudgeSettings
    from trialogue.subjects.judging.records import JudgingFindings as JudgingFindings
    from trialogue.subjects.people.commands.report import study_findings as study_findings
    from trialogue.subjects.people.commands.report import study_report as study_report
    from trialogue.subjects.people.records import StudyFindings as StudyFindings
    from trialogue.subjects.planning.commands.compare_plan import plan as plan
    from trialogue.subjects.planning.commands.power import plan_study as plan_study
    from trialogue.subjects.planning.comparison_power import ComparisonPlan as ComparisonPlan
    from trialogue.subjects.planning.study_power import PowerFindings as PowerFindings
    from trialogue.subjects.simulated_users.commands.passport import passport as passport
    from trialogue.subjects.simulated_users.commands.simulated_sample import PassportPlan as PassportPlan
    from trialogue.subjects.simulated_users.records import PassportFindings as PassportFindings
    from trialogue.workflows.score import score as score

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
    "inputs.knowledge": ("Knowledge", "load_catalogue"),
    "inputs.read": ("read",),
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
    "simulating.simulate": ("simulate",),
    "simulation": ("UserModel", "load_users"),
    "simulation.batch.batch": ("Batch",),
    "simulation.batch.simulation_file": ("SimulationFile",),
    "stats.correction.table": ("Estimand",),
    "subjects.agreement.commands.agree": ("Agreement", "agree"),
    "subjects.agreement.records": ("AgreementFindings",),
    "subjects.alignment.commands.align": ("align",),
    "subjects.alignment.commands.result": ("AlignmentRun",),
    "subjects.board.commands.board": ("Board", "board"),
    "subjects.comparison.commands.compare": ("ComparisonResult", "compare"),
    "subjects.evaluation.commands.display": ("Scores",),
    "subjects.evaluation.commands.evaluate": ("Run", "evaluate"),
    "subjects.judging.commands.ask": ("JudgeScores", "judge_scores"),
    "subjects.judging.commands.judge": ("LabelPlan", "judge", "plan_labels"),
    "subjects.judging.commands.pairs": ("JudgedPairs", "judge_pairs"),
    "subjects.judging.conclude": ("JudgeSettings",),
    "subjects.judging.records": ("JudgingFindings",),
    "subjects.people.commands.report": ("study_findings", "study_report"),
    "subjects.people.records": ("StudyFindings",),
    "subjects.planning.commands.compare_plan": ("plan",),
    "subjects.planning.commands.power": ("plan_study",),
    "subjects.planning.comparison_power": ("ComparisonPlan",),
    "subjects.planning.study_power": ("PowerFindings",),
    "subjects.simulated_users.commands.passport": ("passport",),
    "subjects.simulated_users.commands.simulated_sample": ("PassportPlan",),
    "subjects.simulated_users.records": ("PassportFindings",),
    "workflows.score": ("score",),
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
