"""The INFACT study of INSPIRED2 (Manzoor & Jannach, KaRS 2022): meaningfulness of four systems' replies, by three raters.

Two workbooks, one per recommender (retrieval-based RB-CRS, and CRB-CRS), each with two versions of the corpus it retrieves
from: INSPIRED ("v1") and INSPIRED2 ("v2"). Systems are ``RB-CRS/INSPIRED``, ``RB-CRS/INSPIRED2`` and so on. All four
answer the same situations. A rating is 1 to 3; its rater is the number of its column in its situation: the publication does
not state that a column is one person throughout.

The last reply of 12 dialogues has no human counterpart. Published figures use the other 465 situations, and so do the
records, unless ``unanswered=True`` requests all 477.
"""

from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Corpus, Head, SimpleFormat, Source, remote_files
from trialogue.datasets.corpora.inspired2_sheets import Reply, is_study, read_workbook
from trialogue.datasets.json_documents import ParseReport, files_at, in_file_or_folder
from trialogue.errors import DataError, Problem
from trialogue.records import Response, Situation
from trialogue.records.files.jsonl import Note, warn

NAME = "inspired2-study"


def read_study(path: Path, *, note: Note = warn, unanswered: bool = False) -> Iterator[Situation | Response]:
    """Read every situation with its human reference, followed by the responses with their ratings.

    Args:
        path: one workbook, or a folder of them.
        note: called with each repair or omission.
        unanswered: also give situations that no human reply follows; their reference is None.

    Raises:
        MissingExtraError: openpyxl is not installed.
        DataError: with every mistake, or because two systems answer different situations under one number.
    """
    situations: dict[str, Situation] = {}
    responses: dict[str, dict[str, Response]] = {}
    problems: list[Problem] = []
    hint = f"Get them with: trialogue data get {NAME}"
    what = "no workbook in this folder belongs to the study."
    for file in files_at(path, _is_workbook, what=what, hint=hint, suffixes=(".xlsx",)):
        report = ParseReport(str(file), note)
        for reply in read_workbook(file, report):
            if reply.reference is None and not unanswered:
                report.mend("a reply without a human counterpart was left out", line=reply.line)
            else:
                _file(reply, situations, responses, report)
        problems += report.problems
        report.problems.clear()
        report.settle()
    if problems:
        raise DataError(problems)
    for situation in situations.values():
        yield situation
        yield from responses[situation.id].values()


def _file(
    reply: Reply, situations: dict[str, Situation], responses: dict[str, dict[str, Response]], report: ParseReport
) -> None:
    situation = _situation(reply)
    if situations.setdefault(situation.id, situation) != situation:
        what = f"situation {situation.id} of {reply.system} differs from that of the systems before it."
        report.wrong(what, line=reply.line, hint="All systems of the study answer the same situations.")
    of_situation = responses.setdefault(situation.id, {})
    if reply.system in of_situation:
        what = f"{reply.system} answers situation {situation.id} twice."
        report.wrong(what, line=reply.line, hint="Is one of the workbooks a copy?")
    said = reply.utterance
    # A column is another person in another situation: the number alone would make three people of all of them.
    rated = tuple(each.model_copy(update={"rater": f"{situation.id}/{each.rater}"}) for each in said.ratings)
    utterance = said.model_copy(update={"ratings": rated})
    of_situation[reply.system] = Response(situation_id=situation.id, system=reply.system, utterance=utterance)


def _situation(reply: Reply) -> Situation:
    return Situation(
        id=f"{NAME}:{reply.conversation}#{len(reply.context)}",
        context=reply.context,
        reference=reply.reference,
        dialogue_id=f"{NAME}:{reply.conversation}",
        turn=sum(utterance.speaker == "system" for utterance in reply.context),
        source=NAME,
    )


def _is_workbook(head: Head) -> bool:
    return is_study(head.path)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    return read_study(path, note=note)


_BASE = "https://raw.githubusercontent.com/ahtsham58/INSPIRED2/0cfa8de/Results"

SOURCE = Source(
    name=NAME,
    title="INSPIRED2 study",
    summary="1,860 replies of four systems to 465 situations of INSPIRED, each rated for meaningfulness (1-3) by "
    "three raters.",
    folder="inspired2_study",
    homepage="https://github.com/ahtsham58/INSPIRED2",
    revision="0cfa8de",
    files=remote_files(
        _BASE,
        {
            "Study Data CRB-CRS.xlsx": "6d2891f39c84d7697b6e49e924a1b753c6df395fbe15155a8f0332989df9c0fe",
            "Study Data RB-CRS.xlsx": "90ccade49df9206d8be9f9a7fecfe357e3e00f3f1a4a06a4cd9aecab1c4d0a6c",
        },
    ),
    licence="GPL-3.0",
    citation=(
        "Manzoor, Jannach (2022): INSPIRED2: An Improved Dataset for Sociable Conversational Recommendation. "
        "KaRS Workshop at RecSys 2022."
    ),
    counts={"situations": 465, "responses": 1860, "ratings": 5580},
    defects=(
        "The workbook of CRB-CRS calls its systems RB-CRS; the file's name is right.",
        "The last reply of 12 dialogues (48 responses) has no human counterpart; left out, as in the published figures.",
        "The raters are not recorded: their ids are situation and column. Agreement is low (ordinal alpha .275).",
        "Texts contain placeholders such as [MOVIE_TITLE_0] for titles, genres and people.",
    ),
)

FORMAT = SimpleFormat(
    name=NAME,
    summary="The two Excel workbooks of the INSPIRED2 study (needs the extra 'data'): replies with three ratings each.",
    recognise=in_file_or_folder(_is_workbook, suffixes=(".xlsx",)),
    reader=_read,
)

CORPUS = Corpus(source=SOURCE, reader=_read)
