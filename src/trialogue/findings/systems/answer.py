"""The answer in statements: which system is better on the primary measure, and the threats to that verdict.

The statements are composed from leagues that have passed the gate (``threats.gate``), so no sentence can claim more than the
threats allow. A threat that demotes a verdict is stated in the same sentence as the verdict.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from trialogue.findings.records import Statement, StatementKind, Strength, Votes
from trialogue.findings.standings import Contrast, League, Standing
from trialogue.findings.threat import Severity, Threat, ThreatCode, Validity
from trialogue.findings.threats.summary import conditional_sentence, demoting_clauses, stated_threats, threat_lines
from trialogue.findings.wording import list_names, no_judgement, p_words, pair_sentences, render_estimate, render_points
from trialogue.records import Basis, Estimate, MeasureName, Raters
from trialogue.records.kinds.origins import named_raters


def primary_league(leagues: Sequence[League]) -> League | None:
    """The league that the answer rests on; None if there is none.

    Of those with a direction, values, a basis that can decide and no threat that blocks them: one that compares systems
    before one that cannot, then by what measures rest on (``Basis``: people, task outcome, an estimate of people's
    judgement, another criterion; of outcomes, lift first), then one that no threat demotes. Of people's questions, whose
    p-values are corrected together (``family.corrected_over_questions``), the one with the smallest p; of other equals the
    first. Where people's questions decide a pair both ways, none leads. A better basis never gives way because a threat
    demotes it: a metric that nothing is known against is not for that what people like. What only describes replies
    (``Basis.REPLIES``) leads nothing, unless somebody declares it (``decide``, ``--on``).
    """
    candidates = [
        league
        for league in _leagues_with_direction(leagues)
        if league.measure.basis is not Basis.REPLIES and league.validity is not Validity.BLOCKED
    ]
    leading = min(candidates, key=_precedence, default=None)
    return None if leading is not None and opposed_questions(leagues, leading) else leading


def first_to_show(leagues: Sequence[League]) -> League:
    """The league that stands for a side in a table: the one that leads, else the first that no threat blocks."""
    unblocked = [league for league in _leagues_with_direction(leagues) if league.validity is not Validity.BLOCKED]
    return primary_league(leagues) or next(iter(unblocked), leagues[0])


def _leagues_with_direction(leagues: Sequence[League]) -> list[League]:
    """Leagues with a direction and values."""
    return [
        league
        for league in leagues
        if league.measure.better != "neither"
        and any(standing.estimate.value is not None for standing in league.standings)
    ]


def league_of(leagues: Sequence[League], name: MeasureName) -> League | None:
    """League of a measure; None if it was not measured, has no value or has no direction."""
    return next(
        (
            league
            for league in leagues
            if league.measure.measured == name
            and league.measure.better != "neither"
            and any(standing.estimate.value is not None for standing in league.standings)
        ),
        None,
    )


def unmeasured_sentence(name: MeasureName) -> str:
    """Verdict if the decision protocol's measure was not measured."""
    what = f"people's {name.prose}" if name.is_judgement else name.prose
    return f"There is no verdict: the decision protocol rests it on {what}, which has no values here."


def _precedence(league: League) -> tuple[bool, int, bool, bool, float, float]:
    compares = any(contrast.verdict != "undefined" for contrast in league.contrasts)
    # Only people's questions are corrected together; a smallest p of anything else would be chosen, and uncorrected.
    evidence = min(map(_evidence, league.contrasts), default=(1.0, 0.0)) if league.questions > 1 else (0.0, 0.0)
    return (
        not compares,
        list(Basis).index(league.measure.basis),
        league.measure.card is None or not league.measure.card.beside,
        league.validity is Validity.CONDITIONAL,
        *evidence,
    )


def _evidence(contrast: Contrast) -> tuple[float, float]:
    """(p, minus the difference in widths of its interval), smaller for more evidence: p alone ties where it is smallest."""
    difference, p = contrast.difference, contrast.p_adjusted
    interval = difference.interval
    if p is None or interval is None or difference.value is None or interval.high <= interval.low:
        return (1.0 if p is None else p, 0.0)
    return (p, -abs(difference.value) / (interval.high - interval.low))


def opposed_questions(leagues: Sequence[League], leading: League | None = None) -> list[League]:
    """People's questions that decide some pair both ways; [] where there are none, or where something else leads.

    Args:
        leagues: leagues that have passed the gate.
        leading: the one of people's that would lead; None: any.
    """
    if leading is not None and leading.measure.basis is not Basis.PEOPLE:
        return []
    asked = [
        league
        for league in _leagues_with_direction(leagues)
        if league.measure.basis is Basis.PEOPLE and league.validity is not Validity.BLOCKED
    ]
    decided = {league.measure.name: _decided_pairs(league) for league in asked}
    every = {pair for pairs in decided.values() for pair in pairs}
    return [league for league in asked if any((b, a) in every for a, b in decided[league.measure.name])]


def answer(
    leagues: Sequence[League],
    votes: Votes | None,
    threats: Sequence[Threat] = (),
    *,
    rests_on: MeasureName | None = None,
) -> tuple[Statement, ...]:
    """Statements, most important first, limited to what corrected comparisons and threats support.

    Args:
        leagues: leagues that have passed the gate.
        votes: what pairwise votes say.
        threats: those that the leagues have passed the gate with.
        rests_on: the measure that a decision protocol names: whatever others say, the answer is on this one alone.
    """
    opposed = opposed_questions(leagues) if rests_on is None else []
    league = primary_league(leagues) if rests_on is None else league_of(leagues, rests_on)
    inventors = [
        each for each in threats if each.code is ThreatCode.UNRECOGNISED_TITLES
    ]  # said first: who invents, loses
    statements = [Statement(kind_of=StatementKind.THREAT, text=line.text) for line in threat_lines(inventors, {})]
    said_first = len(statements)
    if opposed and league is None:
        statements.append(Statement(kind_of=StatementKind.VERDICT, text=_disagreement(opposed, threats)))
    if rests_on is not None and league is None:
        statements.append(Statement(kind_of=StatementKind.VERDICT, text=unmeasured_sentence(rests_on)))
    elif league is not None and league.validity is Validity.BLOCKED:
        text = f"There is no verdict on {league.measure.title}: a threat blocks it."
        statements.append(Statement(kind_of=StatementKind.VERDICT, text=text))
    elif league is not None:
        statements += _on_league(league, threats) + baseline_statements(league, leagues)
        statements += side_statements(league, leagues) if rests_on is None else []
    if votes is not None and votes.strengths:
        statements.append(Statement(kind_of=StatementKind.VOTES, text=_votes_sentence(votes)))
    if len(statements) == said_first:
        statements.append(Statement(kind_of=StatementKind.VERDICT, text=_no_verdict(leagues)))
    blocking = [
        threat.model_copy(update={"measure": None})
        for threat in threats
        if threat.severity is Severity.BLOCKS
        and threat not in inventors
        and (league is None or threat.concerns_measure(league.measure.name))
    ]
    if any(statement.kind_of is StatementKind.BASELINE for statement in statements):  # which says it for all systems
        blocking = [threat for threat in blocking if threat.code is not ThreatCode.BASELINE_NOT_BEATEN]
    statements += [Statement(kind_of=StatementKind.THREAT, text=line.text) for line in threat_lines(blocking, {})]
    if league is None and leagues and votes is None and not any(each.measure.by == "people" for each in leagues):
        text = _scope(leagues, votes, threats)
        statements.append(Statement(kind_of=StatementKind.SCOPE, text=text))
    if league is not None and league.measure.by == "metric":
        text = " ".join((_scope(leagues, votes, threats), *_standing_of(league, leagues)))
        statements.append(Statement(kind_of=StatementKind.SCOPE, text=text))
    return tuple(statements)


def _disagreement(opposed: Sequence[League], threats: Sequence[Threat]) -> str:
    """That people's questions decide pairs both ways, and what each of them says."""
    clauses = [_clause(league, _decided_contrasts(league)) for league in sorted(opposed, key=_precedence)]
    text = f"People's answers disagree on which system is better: {'; '.join(clauses)}."
    concerning = [
        threat
        for league in opposed
        for threat in _concerning(threats, _decided_contrasts(league))
        if threat.concerns_measure(league.measure.name)
    ]
    is_conditional = any(
        each.validity is Validity.CONDITIONAL for league in opposed for each in _decided_contrasts(league)
    )
    said = conditional_sentence(text, concerning) if is_conditional else text
    return f"{said} No question was declared to decide."


def _decided_contrasts(league: League) -> list[Contrast]:
    return [contrast for contrast in league.contrasts if contrast.leader is not None]


def _clause(league: League, decided: Sequence[Contrast]) -> str:
    """The pairs of the leading system on one measure, as a clause."""
    lead = _of_leaders(league, decided)
    order = [standing.system for standing in league.standings]
    under = ", conditional" if any(each.validity is Validity.CONDITIONAL for each in lead) else ""
    return f"on {league.measure.title}, {_pairs(lead, order)} ({_size(league, lead)}{under})"


def side_statements(league: League, leagues: Sequence[League]) -> list[Statement]:
    """Whether people's other questions and the other sides put the systems in the order of the leading measure.

    A side is people, a kind of simulated users, or estimates of people's judgement from the dialogues; similarity with
    references and what only describes replies are none. [] where nothing else compares the systems.

    Args:
        league: the measure that the answer rests on.
        leagues: leagues that have passed the gate.
    """
    own = _side(league)
    sides = [
        [each for each in leagues if _side(each) == side] for side in dict.fromkeys(map(_side, leagues)) if side != own
    ]
    beside = [other for other in leagues if league.questions > 1 < other.questions and other is not league]
    card = league.measure.card
    service = [
        other
        for other in leagues
        if card is not None
        and other.measure.card is not None
        and other.measure.card.name == card.beside
        and _side(other) == own
    ]
    others = [*beside, *service, *(leader for leader in map(primary_league, sides) if leader is not None)]
    compared = [
        each
        for each in others
        if each.validity is not Validity.BLOCKED
        and each.measure.basis in (Basis.PEOPLE, Basis.OUTCOME, Basis.ESTIMATE)
        and any(pair.verdict != "undefined" for pair in each.contrasts)
    ]
    text = " ".join(_relations(league, compared))
    if league.questions > 1:
        text = f"{text} p-values are corrected over the {league.questions} questions.".strip()
    return [Statement(kind_of=StatementKind.SIDES, text=text)] if text else []


def _side(league: League) -> tuple[str, str | None]:
    return league.measure.by, league.measure.users


def _relations(league: League, compared: Sequence[League]) -> Iterator[str]:
    """Sentences on measures that contradict the leading one, decide other pairs, agree, and decide nothing."""
    pairs = _decided_pairs(league)
    turned: list[str] = []
    other: list[str] = []
    same: list[str] = []
    some: list[str] = []
    none: list[str] = []
    for each in compared:
        decided = _decided_contrasts(each)
        opposed = [one for one in decided if (_loser(one), one.leader) in pairs]
        if opposed:
            turned.append(_clause(each, opposed))
        elif common := pairs & _decided_pairs(each):
            if common == pairs:
                same.append(each.measure.title)
            else:
                some.append(f"{each.measure.title} agrees on {len(common)} of these {len(pairs)} pairs.")
        elif decided:
            other.append(_clause(each, decided))
        else:
            none.append(each.measure.title)
    if turned:
        yield f"The sides disagree: {'; '.join(turned)}."
    if other:
        yield f"{'On other pairs' if pairs else 'Other measures decide'}: {'; '.join(other)}."
    if same:
        yield f"{list_names(same)} {'agrees' if len(same) == 1 else 'agree'} with this order."
    yield from some
    if none:
        yield f"{list_names(none)} {'finds' if len(none) == 1 else 'find'} no significant difference."


def _commonest_reason(leagues: Sequence[League]) -> str:
    """The commonest reason why the measures with a direction have no value, in brackets; "" where there is none."""
    reasons = Counter(
        str(standing.estimate.why)
        for league in leagues
        if league.measure.better != "neither"
        for standing in league.standings
        if standing.estimate.why is not None
    )
    return f" ({reasons.most_common(1)[0][0]})" if reasons else ""


def _no_verdict(leagues: Sequence[League]) -> str:
    """Why nothing leads: nothing was computed, or what could decide is blocked and the rest only describes replies."""
    directed = _leagues_with_direction(leagues)
    if not directed:
        return (
            f"The systems cannot be ranked: no measure with a direction could be computed{_commonest_reason(leagues)}."
        )
    blocked = [league.measure.title for league in directed if league.validity is Validity.BLOCKED]
    others = [league.measure.title for league in directed if league.validity is not Validity.BLOCKED]
    describe = f"{list_names(others)} only {'describes' if len(others) == 1 else 'describe'} the replies"
    if not blocked:
        return f"No measure here can decide which system is better: {describe}."
    return f"There is no verdict: a threat blocks {list_names(blocked)}{f'; {describe}' if others else ''}."


def _standing_of(league: League, leagues: Sequence[League]) -> Iterator[str]:
    """Caveat on the leading measure: it decides nothing, or equivalent measures contradict it."""
    basis = league.measure.basis
    if basis is Basis.REPLIES:  # declared by somebody
        yield "It only describes the replies, so it does not decide which system is better."
    equals = [
        other
        for other in _leagues_with_direction(leagues)
        if other is not league and other.measure.basis is basis and other.validity is not Validity.BLOCKED
    ]
    opposed = [
        other.measure.title for other in equals if _decided_pairs(league) & {(b, a) for a, b in _decided_pairs(other)}
    ]
    if opposed:
        yield (
            f"{league.measure.title} is the first of {len(equals) + 1} measures of equal standing; {list_names(opposed)} "
            f"{'decides' if len(opposed) == 1 else 'decide'} some of its pairs the other way round."
        )


def _decided_pairs(league: League) -> set[tuple[str, str]]:
    """(better, worse) of every decided pair."""
    return {(each.leader, _loser(each)) for each in league.contrasts if each.leader is not None}


def _scope(leagues: Sequence[League], votes: Votes | None, threats: Sequence[Threat]) -> str:
    if votes is not None and votes.strengths and votes.rater_kinds in ((), (Raters.PEOPLE,)):
        return "Only the votes are human judgement: a metric shows what it measures, not what people prefer."
    if votes is not None and Raters.UNKNOWN in votes.rater_kinds:
        return (
            "The data do not say who cast the votes (if people did: --set origin=person): a metric does not show what "
            "prefer."
        )
    judged = [league for league in leagues if league.measure.by == "people"]
    if any(_is_blocked(league) for league in judged):
        return "A threat blocks any ranking by people's ratings: a metric does not show what people prefer."
    unrated = sorted({each.system for league in judged for each in league.standings if each.estimate.value is None})
    if judged and unrated:
        return (
            f"{list_names(unrated)} {'has' if len(unrated) == 1 else 'have'} no ratings by people that count: a metric does "
            "not show what people prefer."
        )
    if judged:
        return (
            "People's ratings are too few or too similar to compare the systems: a metric does not show what "
            "people prefer."
        )
    unread = next((t.facts.get("unread") for t in threats if t.code is ThreatCode.NO_HUMAN_JUDGEMENT), None)
    found = no_judgement(unread)
    return f"{found[0].upper()}{found[1:]}: this is what a metric measures, not what people prefer."


def _is_blocked(league: League) -> bool:
    """Whether the gate left a league without a verdict that its data would have allowed."""
    validities = [league.validity, *(contrast.validity for contrast in league.contrasts)]
    compares = any(contrast.verdict != "undefined" for contrast in league.contrasts)
    return Validity.BLOCKED in validities and not compares


def _on_league(league: League, threats: Sequence[Threat]) -> list[Statement]:
    """The verdict of one league: what holds firmly first, then what holds under conditions, each with its reasons.

    The best system that is ahead of any has a statement of its own, with the size of its lead; a second has the other pairs.
    """
    own = [threat for threat in threats if threat.concerns_measure(league.measure.name)]
    decided = [contrast for contrast in league.contrasts if contrast.leader is not None]
    firm = [contrast for contrast in decided if contrast.validity is Validity.FIRM]
    conditional = [contrast for contrast in decided if contrast.validity is Validity.CONDITIONAL]
    if not decided:
        noted = demoting_clauses(threat for threat in own if not threat.systems)
        verdict = _nothing_decided(league)
        texts = [f"{verdict.rstrip('.')}; note that {noted}." if noted else verdict]
    else:
        compared = sum(contrast.verdict != "undefined" for contrast in league.contrasts)
        count = f"{len(decided)} of {compared} pairs differ after correction"
        texts = [*_verdicts(league, firm, own), *_verdicts(league, conditional, own)]
        if len(texts) > 1:
            texts[-1] += f" In all, {count}."
        elif compared > 1:
            texts = list(_verdicts(league, decided, own, count=f"; {count}"))
        texts[0] += _not_compared(league)
    return [Statement(kind_of=StatementKind.VERDICT, text=text) for text in texts]


def _verdicts(
    league: League, decided: Sequence[Contrast], threats: Sequence[Threat], *, count: str = ""
) -> Iterator[str]:
    """Decided pairs of one validity: those of the leading system, then the others.

    Args:
        league: league with the pairs.
        decided: pairs of one validity; nothing is written without any.
        threats: threats to the league.
        count: number of pairs that differ, to stand in the first sentence.
    """
    if not decided:
        return
    order = [standing.system for standing in league.standings]
    lead = _of_leaders(league, decided)
    rest = [each for each in decided if each not in lead]
    first = f"On {league.measure.title}, {_lead_text(league, lead, order)}{count}."
    second = f"{_pairs(rest, order)}."
    if decided[0].validity is Validity.FIRM:
        yield from [first, f"Also, {second}"][: 1 + bool(rest)]
        return
    yield conditional_sentence(first, _concerning(threats, lead))
    if rest and demoting_clauses(_concerning(threats, rest)) == demoting_clauses(_concerning(threats, lead)):
        yield f"Also conditional: {second}"
    elif rest:
        yield conditional_sentence(second, _concerning(threats, rest))


def _lead_text(league: League, lead: Sequence[Contrast], order: Sequence[str]) -> str:
    """The leading system and by how much; of a single pair the size stands before its significance, which is no size."""
    if len(lead) != 1:
        return f"{_pairs(lead, order)} ({_size(league, lead)})"
    (only,) = lead
    is_lower = league.measure.better == "lower"
    difference = _leader_minus_other(only)
    size = (
        f": {_render_size(league, difference.negate())} lower"
        if is_lower
        else f" by {_render_size(league, difference)}"
    )
    chance = f" (p {p_words(only.p_adjusted)})" if only.p_adjusted is not None else ""
    return f"{only.leader} is better than {_loser(only)}{size}, a significant difference{chance}"


def threats_in_verdict(league: League, threats: Sequence[Threat]) -> list[Threat]:
    """Threats that the first conditional sentence on a league states; a page need not list them beside it."""
    conditional = [
        each for each in league.contrasts if each.leader is not None and each.validity is Validity.CONDITIONAL
    ]
    own = [threat for threat in threats if threat.concerns_measure(league.measure.name)]
    return stated_threats(_concerning(own, _of_leaders(league, conditional))) if conditional else []


def _of_leaders(league: League, decided: Sequence[Contrast]) -> list[Contrast]:
    """Decided pairs won by the leading system, or by one that is ahead of the same systems."""
    leader = _leading_contrast(league, decided).leader
    losers = {_loser(each) for each in decided if each.leader == leader}
    return [each for each in decided if {_loser(other) for other in decided if other.leader == each.leader} == losers]


def _concerning(threats: Sequence[Threat], contrasts: Sequence[Contrast]) -> list[Threat]:
    return [
        threat
        for threat in threats
        if any(threat.concerns_pair(each.a, each.b, ahead=each.leader) for each in contrasts)
    ]


def _pairs(decided: Sequence[Contrast], order: Sequence[str]) -> str:
    return pair_sentences([(each.leader or "", _loser(each)) for each in decided], order)


def _size(league: League, decided: Sequence[Contrast]) -> str:
    """By how much the leader is ahead of the next system below it that it beats, and the p-value of that pair."""
    largest = _leading_contrast(league, decided)
    others = {each.leader for each in decided} | {_loser(each) for each in decided}
    pair = f"{largest.leader} over {_loser(largest)} " if others != {largest.leader, _loser(largest)} else ""
    difference = _leader_minus_other(largest)
    if league.measure.better == "lower":
        return f"{pair}lower by {_effect(league, difference.negate(), largest.p_adjusted)}"
    return f"{pair}by {_effect(league, difference, largest.p_adjusted)}"


def _nothing_decided(league: League) -> str:
    """Why no pair of a league is decided: one system, none that can be compared, or no significant difference."""
    title = league.measure.title
    defined = [standing for standing in league.standings if standing.estimate.value is not None]
    # A threat can take a system's rank and leave its pairs: such a system was compared.
    compared = {name for each in league.contrasts if each.verdict != "undefined" for name in (each.a, each.b)}
    tested = [standing for standing in defined if standing.rank_low is not None or standing.system in compared]
    if len(defined) == 1:
        value = render_estimate(defined[0].estimate)
        others = "no other system has a value" if len(league.standings) > 1 else "there is no second system to compare"
        return f"{defined[0].system} scores {value} on {title}; {others}."
    if not tested:
        reason = next((each.difference.why for each in league.contrasts if each.difference.why), None)
        if reason is None and any(each.validity is Validity.BLOCKED for each in league.contrasts):
            return f"There is no verdict on {title}: a threat blocks it."
        why = reason or "there are too few data"
        return f"On {title}, {list_names(sorted(each.system for each in defined))} cannot be compared: {why}."
    return _no_difference_sentence(league, tested, title) + _not_compared(league)


def _not_compared(league: League) -> str:
    """A sentence on the systems with a value that no test could compare; "" without any."""
    # A threat can take a system's rank and leave its pairs: such a system was compared.
    compared = {name for each in league.contrasts if each.verdict != "undefined" for name in (each.a, each.b)}
    left = [
        each.system
        for each in league.standings
        if each.estimate.value is not None and each.rank_low is None and each.system not in compared
    ]
    return f" {list_names(left)} could not be compared." if left else ""


def _no_difference_sentence(league: League, tested: Sequence[Standing], title: str) -> str:
    compared = [contrast for contrast in league.contrasts if contrast.verdict != "undefined"]
    if len(compared) == 1:
        only = compared[0]
        size = _effect(league, only.difference, only.p_adjusted)
        return f"On {title}, {only.a} and {only.b} do not differ significantly ({only.a} minus {only.b}: {size})."
    return f"On {title}, no two of {len(tested)} systems differ significantly (0 of {len(compared)} pairs after correction)."


def _leading_contrast(league: League, decided: Sequence[Contrast]) -> Contrast:
    """The pair whose difference is stated: of the best system that is ahead of any, with the next below it."""
    order = [standing.system for standing in league.standings]
    return min(decided, key=lambda each: (order.index(each.leader or ""), order.index(_loser(each))))


def _loser(contrast: Contrast) -> str:
    return contrast.b if contrast.leader == contrast.a else contrast.a


def _leader_minus_other(contrast: Contrast) -> Estimate:
    return contrast.difference if contrast.leader == contrast.a else contrast.difference.negate()


def _effect(league: League, difference: Estimate, p: float | None) -> str:
    """A difference with its interval and p-value; that of shares in percentage points."""
    return _render_size(league, difference) + (f", p {p_words(p)}" if p is not None else "")


def _render_size(league: League, difference: Estimate) -> str:
    return render_points(difference) if league.measure.is_share else render_estimate(difference)


def baseline_statements(league: League, leagues: Sequence[League] = ()) -> list[Statement]:
    """Statements on the best baseline's score and the systems significantly above it; [] without baselines.

    Args:
        league: the measure that the answer rests on.
        leagues: all of them; an estimate of alignment that has no baselines, because it rests on people's labels of pairs,
            is helped out by the next one that has.
    """
    best = next((baseline for baseline in league.baselines if baseline.estimate.value is not None), None)
    if best is not None:
        return [Statement(kind_of=StatementKind.BASELINE, text=_against_baseline(league, best, where=""))]
    if not league.measure.is_alignment:
        return []
    other = next((each for each in leagues if any(b.estimate.value is not None for b in each.baselines)), None)
    if other is None:
        return []
    best = next(baseline for baseline in other.baselines if baseline.estimate.value is not None)
    text = _against_baseline(other, best, where=f" on {other.measure.title}")
    return [Statement(kind_of=StatementKind.BASELINE, text=text)]


def _against_baseline(league: League, best: Standing, *, where: str) -> str:
    sides = {contrast.a: contrast.verdict for contrast in league.above_baseline}
    order = [standing.system for standing in league.standings if standing.system in sides]
    above, below = ([system for system in order if sides[system] == side] for side in ("a", "b"))
    first = f"The best baseline that ignores the user, {best.system}, scores {render_estimate(best.estimate)}{where}"
    if not any(sides[system] != "undefined" for system in order):
        return f"{first}; no system could be compared with it."
    if above and len(above) == len(order):
        by = next(contrast.difference for contrast in league.above_baseline if contrast.a == above[0])
        size = f", by {render_estimate(by)}" if len(above) == 1 else ""
        return f"{first}; {list_names(above)} {'is' if len(above) == 1 else 'are'} significantly better{size}."
    better = f"only {list_names(above)} {'is' if len(above) == 1 else 'are'}" if above else "no system is"
    worse = f", and {list_names(below)} {'is' if len(below) == 1 else 'are'} significantly worse" if below else ""
    return f"{first}; {better} significantly better{worse}."


def _votes_sentence(votes: Votes) -> str:
    """Who may rank first: those than whom no system is significantly better."""
    whose = "" if votes.rater_kinds in ((), (Raters.PEOPLE,)) else f" of {named_raters(votes.rater_kinds)}"
    cast = f"{votes.votes} pairwise votes{whose}"
    leaders: list[Strength] = [strength for strength in votes.strengths if strength.rank_low == 1]
    if not leaders:
        return f"{cast} ({votes.ties} ties) do not rank the systems: {votes.why}."
    names = [strength.system for strength in leaders]
    reason = "no system is significantly better"
    match names:
        case [name] if leaders[0].rank_high == 1:
            ranks, reason = f"{name} ranks first", "significantly better than every other"
        case [name]:
            ranks = f"only {name} may rank first"
        case [one, other]:
            ranks = f"either {one} or {other} may rank first"
        case _:
            ranks = f"any of {list_names(names)} may rank first"
    pairs = len(votes.contrasts)
    corrected = f"; {pairs} pairs, Bonferroni-corrected" if pairs > 1 else ""
    return f"In {cast} ({votes.ties} ties), {ranks} ({reason}{corrected})."


def texts_of(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Texts of statements."""
    return tuple(statement.text for statement in statements)
