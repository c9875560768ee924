"""Summaries of agreement, realism and passports, as sections of the evaluation report."""

from collections.abc import Mapping

from trialogue.findings.agreement.answer import main_statistic, title_of
from trialogue.findings.agreement.records import AgreementFindings, RatingAgreement
from trialogue.findings.passport.answer import PART_TITLES, sample_of, sample_text, sentences_of
from trialogue.findings.passport.records import PassportFindings, PassportPart
from trialogue.findings.realism.records import RealismFindings
from trialogue.findings.records import Section, columns
from trialogue.records import Estimate

STATISTICS = {"auc": "AUC", "spearman": "Spearman's ρ", "pearson": "Pearson's r", "kendall": "Kendall's τ"}
MAX_GAPS = 6  # features that give most away; the page about realism has the others


def agreement_section(found: AgreementFindings, *, page: str) -> Section:
    """Section on agreement with people: the first question's table, baselines marked.

    Args:
        found: the findings about agreement.
        page: page that has all of them.
    """
    first = next(((each.question, each.level) for each in found.ratings), None)
    ratings = [each for each in found.ratings if (each.question, each.level) == first]
    statistic = main_statistic(ratings)
    votes = {each.measure: each.accuracy for each in found.preferences}
    orders = {
        each.measure: (each.spearman, each.refusal) for each in found.rankings if first and each.against == first[0]
    }
    rows = []
    for each in sorted(ratings, key=lambda one: -_value(one)):
        name = title_of(found, each.measure) + (" (baseline)" if each.measure in found.baselines else "")
        order, refusal = orders.get(each.measure, (None, None))
        rows.append(
            (
                name,
                _estimate(each, "pooled"),
                _estimate(each, "within"),
                votes.get(each.measure),
                "too few systems" if refusal else order,
            )
        )
    return Section(
        title="Do measures agree with people?",
        sentences=found.answer,
        columns=columns(
            "Measure",
            f"{STATISTICS[statistic]}, all",
            "Within systems",
            "Decisive votes shared",
            "Ranking of systems, ρ",
        ),
        rows=tuple(rows),
        page=page,
    )


def realism_section(found: RealismFindings, *, users: str, page: str) -> Section:
    """Section on the realism of simulated users and their ranking of systems.

    Args:
        found: the findings about realism.
        users: kind of simulated users.
        page: page that has all of them.
    """
    return Section(
        title=f"Are simulated users like people? ({users})",
        sentences=found.answer,
        columns=columns("Feature of users", "People", "Simulated", "Giveaway (AUC; .5: none)"),
        rows=tuple((gap.title, gap.real, gap.simulated, gap.giveaway) for gap in found.gaps[:MAX_GAPS]),
        page=page,
    )


def passport_section(found: PassportFindings, *, page: str) -> Section:
    """The six parts of the simulated users' passport, each with its sample.

    Args:
        found: the passport.
        page: page that has all of it.
    """
    return Section(
        title=f"Passport of the simulated users ({found.users})",
        sentences=(f"What is known about these users, part by part; all of it is in {page}.",),
        columns=columns("Part", "What it says", "Dialogues"),
        rows=tuple(
            (PART_TITLES[part], " ".join(sentences_of(found, part)), sample_text(sample_of(found, part)))
            for part in PassportPart
        ),
    )


def wordings_section(counts: Mapping[str, Mapping[str, int]], titles: Mapping[str, str]) -> Section:
    """How many wordings of a language model were said by hybrid users, and why the others were not.

    Args:
        counts: messages by system and outcome; None of them empty.
        titles: outcomes in words, the accepted one first.
    """
    accepted = next(iter(titles))
    messages = sum(sum(each.values()) for each in counts.values())
    rejected = messages - sum(each.get(accepted, 0) for each in counts.values())
    known = [name for name in titles if any(each.get(name) for each in counts.values())]
    sentence = (
        f"Of {messages:,} messages worded by a language model, {rejected:,} were rejected in favour of the agenda's "
        "own words because they did not keep the act."
    )
    return Section(
        title="Wordings of the simulated users",
        sentences=(sentence,),
        columns=columns("System", "Messages", *(titles[name] for name in known)),
        rows=tuple(
            (system, sum(each.values()), *(each.get(name, 0) for name in known))
            for system, each in sorted(counts.items())
        ),
    )


def _value(each: RatingAgreement) -> float:
    found = each.get(main_statistic([each]))
    return found.estimate.value if found and found.estimate.value is not None else -1.0


def _estimate(each: RatingAgreement, scope: str) -> Estimate | None:
    found = each.get(main_statistic([each]), scope)
    return found.estimate if found else None
