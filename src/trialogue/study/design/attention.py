"""Attention in the study file: checks, rules that exclude from the analysis, and when payment may be refused."""

from typing import Literal, TypeAlias

from pydantic import Field

from trialogue.records import Record

Rule: TypeAlias = Literal["failed_checks", "too_fast", "too_short", "straight_lining", "same_text", "pasted", "away"]


class Attention(Record):
    """Checks among the tasks, and what counts as careless."""

    checks: int = Field(default=1, ge=0, le=10)
    """Items among the tasks whose text says which answer to give."""
    allowed_failures: int = Field(default=0, ge=0)
    """Checks that may be failed before the rule ``failed_checks`` holds."""
    min_seconds_per_item: float = Field(default=3.0, ge=0)
    """Median time of a task below which the rule ``too_fast`` holds."""
    min_minutes: float = Field(default=0.0, ge=0)
    """Time of all tasks together below which the rule ``too_short`` holds; 0: it never does."""
    same_text_at_most: int = Field(default=2, ge=1)
    """Times that somebody may write the same text before the rule ``same_text`` holds."""
    allowed_pastes: int = Field(default=0, ge=0)
    """Times that something may be pasted into a task before the rule ``pasted`` holds."""
    away_at_most: float = Field(default=0.5, gt=0, le=1)
    """Share of the time of the tasks that somebody may be elsewhere (another tab, another window) before the rule ``away``
    holds."""


class Rejection(Record):
    """When payment may be refused: another matter than exclusion from analysis, whatever rules say."""

    failed_checks: int = Field(default=2, ge=1)
    """Checks that must be failed. Platforms ask for two in studies of five minutes or more."""


def rule_problems(rules: tuple[Rule, ...], attention: Attention) -> list[tuple[str, str]]:
    """(field, what is wrong) of rules that could never hold with what is asked for."""
    if "too_short" in rules and not attention.min_minutes:
        return [("exclusion", "the rule too_short never holds: give attention its min_minutes.")]
    return []
