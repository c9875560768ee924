"""Build situations and responses from a table with one row per response, or per situation with a column per system."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from trialogue.datasets.door.account import FeedbackTally
from trialogue.datasets.door.values import identifier
from trialogue.datasets.failures import FAILED, error_meta, failure_in
from trialogue.datasets.json_documents import ParseReport, kind_of
from trialogue.datasets.tables.dialogues import TableIds, check_digits, make_utterance, tally_of
from trialogue.datasets.tables.mapping import PREFIXED, Mapping, Speakers
from trialogue.datasets.tables.rows import Row, Table, items, parsed_list
from trialogue.records import Response, Situation, Speaker, Utterance

SPEAKER_KEYS, TEXT_KEYS = ("speaker", "role", "sender"), ("text", "content", "utterance")


@dataclass
class _Study:
    """Situations and responses so far, in the order of the file."""

    mapping: Mapping
    source: str
    report: ParseReport
    speakers: Speakers
    ids: TableIds
    tally: FeedbackTally
    names: dict[tuple[str, ...], str] = field(default_factory=dict)  # id by context, where no column holds ids
    situations: dict[str, Situation] = field(default_factory=dict)
    responses: dict[str, dict[str, tuple[Response, int]]] = field(default_factory=dict)
    blank_rankings: dict[str, list[int]] = field(default_factory=dict)  # lines by system
    seen: set[str] = field(default_factory=set)  # rows, to leave out repeated ones


def responses(table: Table, mapping: Mapping, source: str, report: ParseReport) -> Iterator[Situation | Response]:
    """Build every situation in the order of its first row, followed by its responses.

    Without a column of contexts there are responses only; their situations must come from elsewhere.
    """
    study = _Study(mapping, source, report, Speakers(mapping.speakers), TableIds.of(table, mapping), tally_of(mapping))
    check_digits(table, mapping.situation, report)
    for row in table.rows:
        if (cells := repr(row.cells)) in study.seen and mapping.situation is not None:
            report.mend("a row repeats an earlier one and was left out", line=row.line)
            continue
        study.seen.add(cells)
        name = _situation_id(row, study)
        if name and mapping.context is not None:
            _take_situation(row, name, study)
        for response in _of_row(row, name, study):
            _take_response(response, row, study)
    study.speakers.settle(mapping.context or "", report)
    study.tally.settle(report)
    _report_blank_rankings(study)
    if mapping.context is None and table.rows:
        report.mend("no column contains the context; responses were read without situations")
    for name, by_system in study.responses.items():
        if name in study.situations:
            yield study.situations[name]
        yield from (response for response, _ in by_system.values())


def _situation_id(row: Row, study: _Study) -> str:
    mapping = study.mapping
    if mapping.situation is None:
        # A wide row holds all replies to a situation: other replies to the same words are another one. In a long table
        # they may be another system's, so that the words alone decide.
        key = (row.text(mapping.context), *(row.text(column) for column in mapping.responses.values()))
        return study.names.setdefault(key, f"{study.source}-{len(study.names) + 1}")
    name = study.ids.situation.text(row.cells.get(mapping.situation))
    if not name:
        study.report.wrong("the row has no situation id.", mapping.situation, line=row.line)
    return name


def _references(row: Row, mapping: Mapping) -> tuple[Utterance, ...]:
    """References of a row, one or a list of several; blank ones are none."""
    cell = row.cell(mapping.reference)
    texts = map(str, cell) if isinstance(cell, list) else [row.text(mapping.reference)]
    return tuple(Utterance(speaker="system", text=text.strip()) for text in texts if text.strip())


def _take_situation(row: Row, name: str, study: _Study) -> None:
    mapping, report = study.mapping, study.report
    context = tuple(_context(row, study))
    if not context or context[-1].speaker != "user":
        what = (
            "the context ends with an utterance of the system; it must end with the user's."
            if context
            else "this context is empty."
        )
        report.wrong(
            what, mapping.context or "", line=row.line, hint="The context is the dialogue before the response."
        )
        return
    references = _references(row, mapping)
    targets = items(row, mapping.targets, mapping.list_separator, report)
    situation = Situation(
        id=name,
        context=context,
        reference=next(iter(references), None),
        further_references=references[1:],
        targets=None if targets is None else tuple(study.ids.targets.text(item) for item in targets),
        dialogue_id=study.ids.dialogue.text(row.cell(mapping.dialogue)) or None,
        source=study.source,
    )
    if study.situations.setdefault(name, situation) != situation:
        what = f"situation {name!r} differs from an earlier row (context, reference, targets or dialogue)."
        kind = "a situation differs from an earlier row"
        report.wrong(
            what, mapping.situation or "", line=row.line, hint="Do several situations share this id?", kind=kind
        )


def _of_row(row: Row, name: str, study: _Study) -> Iterator[Response]:
    mapping = study.mapping
    for system, column in mapping.responses.items():
        yield _response(row, name, system, column, study)
    if mapping.response is not None:
        system = identifier(row.cell(mapping.system)) or mapping.system_name or ""
        if not system:
            study.report.wrong("the row has no system.", mapping.system or "", line=row.line)
        yield _response(row, name, system, mapping.response, study)


def _response(row: Row, name: str, system: str, column: str, study: _Study) -> Response:
    text = row.text(column)
    failure = failure_in(row.cells.get(study.mapping.error)) if study.mapping.error is not None else None
    if failure is not None:
        study.report.mend(FAILED, study.mapping.error or "", line=row.line)
    elif not text.strip():
        study.report.mend("a response is blank; kept", column, line=row.line)
    utterance = make_utterance(
        "system", text, row, study.mapping, study.report, ids=study.ids, tally=study.tally, system=system
    )
    if study.mapping.ranking is not None and utterance.ranking is None and failure is None:
        study.blank_rankings.setdefault(system, []).append(row.line)
    return Response(
        situation_id=name,
        system=system,
        utterance=utterance,
        failure=None if failure is None else failure[0],
        meta=({} if text.strip() else {"blank": True}) | error_meta(None if failure is None else failure[1]),
    )


def _report_blank_rankings(study: _Study) -> None:
    """A blank cell is a ranking that was not recorded, and "[]" one that is empty: say how many are blank."""
    blank = study.blank_rankings
    total = sum(len(by_system) for by_system in study.responses.values())
    if blank and sum(map(len, blank.values())) < total:
        by_system = ", ".join(f"{system} {len(lines)}" for system, lines in sorted(blank.items()))
        hint = "An empty list of recommendations is written []."
        what = (
            f"blank rankings were read as not recorded, and these replies are left out of ranking metrics: {by_system}"
        )
        study.report.mend(
            what, study.mapping.ranking or "", line=min(min(lines) for lines in blank.values()), hint=hint
        )


def _take_response(response: Response, row: Row, study: _Study) -> None:
    by_system = study.responses.setdefault(response.situation_id, {})
    known = by_system.get(response.system)
    if known is None:
        by_system[response.system] = (response, row.line)
        return
    earlier, line = known
    raters = {rating.rater for rating in earlier.utterance.ratings}
    again = [rating for rating in response.utterance.ratings if rating.rater in raters]
    if study.mapping.rater is None or earlier.utterance.text != response.utterance.text or again:
        what = f"{response.system!r} already answers situation {response.situation_id!r} in line {line}."
        hint = "If several raters rated a response, map the column with their codes as rater."
        if study.mapping.situation is None:
            hint = f"If these are different situations, add a column of ids: situation_id. {hint}"
        study.report.wrong(what, line=row.line, hint=hint, kind="a system answers a situation twice")
        return
    ratings = earlier.utterance.ratings + response.utterance.ratings
    utterance = earlier.utterance.model_copy(update={"ratings": ratings})
    by_system[response.system] = (earlier.model_copy(update={"utterance": utterance}), line)


def context_of(row: Row, mapping: Mapping, report: ParseReport) -> tuple[Utterance, ...]:
    """Utterances before the response of a row; () if none."""
    nothing = Table([], [])
    study = _Study(mapping, "", report, Speakers(mapping.speakers), TableIds.of(nothing, mapping), FeedbackTally())
    return tuple(_context(row, study))


def _context(row: Row, study: _Study) -> Iterator[Utterance]:
    """The utterances of a context cell; those that do not say whose they are alternate, the last one being the user's."""
    pieces = _pieces(row, study)
    messages = [_parse_piece(piece, row, study) for piece in pieces]
    named = all(name is not None for name, _ in messages)
    for index, (name, text) in enumerate(messages):
        turn: Speaker = "user" if (len(messages) - index) % 2 else "system"
        speaker = study.speakers.resolve(name, row.line) if named and name is not None else turn
        piece = pieces[index]
        yield Utterance(speaker=speaker or turn, text=text if named or isinstance(piece, dict) else str(piece).strip())


def _pieces(row: Row, study: _Study) -> list[object]:
    value = row.cell(study.mapping.context)
    if isinstance(value, str):
        as_list = parsed_list(value) if value.strip().startswith("[") else None
        value = as_list if as_list is not None else value.split(study.mapping.context_separator or "\n")
    if not isinstance(value, list):
        return [] if value is None else [value]
    return [piece for piece in value if not isinstance(piece, str) or piece.strip()]


def _parse_piece(piece: object, row: Row, study: _Study) -> tuple[str | None, str]:
    """(speaker's name or None, text) of one piece of a context."""
    if isinstance(piece, dict):
        name = next((str(piece[key]) for key in SPEAKER_KEYS if piece.get(key)), None)
        text = next((str(piece[key]) for key in TEXT_KEYS if piece.get(key) is not None), None)
        if text is None:
            what = f"expected an utterance {{speaker, text}}, got {kind_of(piece)}."
            study.report.wrong(what, study.mapping.context or "", line=row.line)
        return name, text or ""
    prefixed = PREFIXED.match(str(piece))
    if prefixed and Speakers(study.mapping.speakers).resolve(prefixed[1], row.line):
        return prefixed[1], prefixed[2].strip()
    return None, str(piece)
