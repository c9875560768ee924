"""The methods section, in words for a paper."""

from tests.render.made import nine, one, two
from trialogue.findings import Standing
from trialogue.findings.standings import OVER_MEASURES
from trialogue.render.measures import few_leagues
from trialogue.subjects.evaluation.pages.methods import methods


def test_intervals_tests_votes_and_software_are_reported() -> None:
    text = " ".join(methods(nine()))
    assert "We compared 9 recommenders on 8 measures over 2,844 replies." in text
    assert "95% intervals: bootstrap of people with all their dialogues, percentile, 10000 resamples" in text
    assert "across the 36 pairs of systems" in text
    assert "Bonferroni's method" in text
    assert "α = .05" in text
    assert "184 pairwise votes (71 ties) by 103 people" in text
    assert "trialogue 0.1.0" in text


def test_different_intervals_are_reported_with_their_measures() -> None:
    findings = two()
    first, second = findings.leagues[:2]
    standing = second.standings[0]
    interval = standing.estimate.interval
    assert interval is not None
    odd = interval.model_copy(update={"method": "jackknife over 9 clusters, t"})
    estimate = standing.estimate.model_copy(update={"interval": odd})
    second = second.model_copy(update={"standings": (standing.model_copy(update={"estimate": estimate}),)})
    text = " ".join(methods(findings.model_copy(update={"leagues": (first, second)})))
    assert "for Satisfaction, bootstrap" in text
    assert "for Distinct-n, jackknife over clusters, t" in text


def test_of_two_versions_the_correction_over_measures_is_reported() -> None:
    text = " ".join(methods(two().model_copy(update={"correction": OVER_MEASURES})))
    assert "corrected for the number of measures across the deciding measures together" in text
    assert "There is no correction" not in text
    assert "There is no correction for the number of measures." in " ".join(methods(two()))


def test_what_was_not_done_is_not_reported() -> None:
    text = " ".join(methods(one()))
    assert "compared" not in text
    assert "Votes" not in text


def test_what_the_measurer_says_stands_first() -> None:
    findings = two().model_copy(update={"methods": ("Each person met both systems.",)})
    assert methods(findings)[0] == "Each person met both systems."


def test_the_tests_the_clusters_and_the_raters_are_named() -> None:
    for findings in (nine(), two()):
        text = " ".join(methods(findings))
        assert "Intervals and tests are clustered by person" in text
        assert "Interval and p-value of a difference come from the same construction" in text
        assert "Raters of one response are treated as fixed" in text
    assert "simultaneously (Mogstad et al., 2024)" in " ".join(methods(nine()))
    assert "Mogstad" not in " ".join(methods(two()))


def test_no_sentence_lists_more_than_five_names() -> None:
    findings = nine()
    text = " ".join(methods(findings))
    assert "and 2 others" not in text  # one kind of interval needs no list
    odd = [
        each.model_copy(update={"standings": tuple(_with_method(standing, "jackknife") for standing in each.standings)})
        for each in findings.leagues[1:]
    ]
    text = " ".join(methods(findings.model_copy(update={"leagues": (findings.leagues[0], *odd)})))
    assert "and 2 others" in text  # seven metrics: five are named


def _with_method(standing: Standing, method: str) -> Standing:
    interval = standing.estimate.interval
    assert interval is not None
    estimate = standing.estimate.model_copy(update={"interval": interval.model_copy(update={"method": method})})
    return standing.model_copy(update={"estimate": estimate})


def test_only_methods_that_were_used_are_named() -> None:
    findings = nine()
    text = " ".join(methods(findings))
    assert "Newcombe" not in text
    assert "Tango" not in text
    league = findings.leagues[0]
    contrast = league.contrasts[0]
    interval = contrast.difference.interval
    assert interval is not None
    shares = contrast.difference.model_copy(
        update={"interval": interval.model_copy(update={"method": "Newcombe's hybrid score of effective units, t"})}
    )
    changed = league.model_copy(update={"contrasts": (contrast.model_copy(update={"difference": shares}),)})
    text = " ".join(methods(findings.model_copy(update={"leagues": (changed, *findings.leagues[1:])})))
    assert "Newcombe's (1998) hybrid score of effective units, t" in text
    assert "Tango" not in text


def test_the_methods_of_the_papers_table_are_short() -> None:
    """Two paragraphs of a column: at most 250 words for nine systems on eight measures with votes."""
    findings = nine()
    assert len(" ".join(methods(findings, few_leagues(findings))).split()) <= 250
