"""INSPIRED (Hayati et al., EMNLP 2020): people recommending films to people, with a strategy label per sentence.

Kept are both labels (origin ``expert`` and ``second``; ``no_strategy`` is a label, too), the outcome, the films, genres and
people mentioned, the text with placeholders where it differs, and the trailer's id. The five ``*_dict`` columns repeat the
dialogue's entities on every row and are not read.
"""

from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Corpus, Head, SimpleFormat, Source, remote_files
from trialogue.datasets.corpora.inspired_rows import REQUIRED, has_columns, read_file
from trialogue.datasets.json_documents import files_at, in_file_or_folder
from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import Note


def _is_inspired(head: Head) -> bool:
    return has_columns(head.first_line)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    seen: dict[str, Path] = {}
    what = f"no .tsv file in this folder has INSPIRED's columns ({', '.join(REQUIRED)}, expert_label, ...)."
    hint = "Get them with: trialogue data get inspired"
    for file in files_at(path, _is_inspired, what=what, hint=hint, suffixes=(".tsv",)):
        dialogues = read_file(file, note)
        twice = [
            Problem(f"dialogue {dialogue.id!r} is already in {seen[dialogue.id].name}.", str(file), field="dialog_id")
            for dialogue in dialogues
            if dialogue.id in seen
        ]
        if twice:
            raise DataError(twice, hint="Is one of the files a copy? Remove it, or name the other files one by one.")
        seen |= dict.fromkeys((dialogue.id for dialogue in dialogues), file)
        yield from dialogues


_BASE = "https://raw.githubusercontent.com/sweetpeach/Inspired/782d7c1/data/dialog_data"

SOURCE = Source(
    name="inspired",
    title="INSPIRED",
    summary=(
        "Dialogues in which people recommend film trailers to people; every sentence of the recommender is labelled "
        "with one of 13 sociable strategies or no_strategy."
    ),
    folder="inspired",
    homepage="https://github.com/sweetpeach/Inspired",
    revision="782d7c1",
    files=(
        *remote_files(
            _BASE,
            {
                "dev.tsv": "15a955be002222ba9e95f886802e06a91fb5e457f8a25deae3e7908d58faa947",
                "test.tsv": "a10f63ff26045158460730d4829ffba74bee86fb744d9f48c1c1c511ef609993",
            },
        ),
        *remote_files(_BASE, {"train.tsv": None}, optional=True),
    ),
    licence="none stated",
    citation="Hayati, Kang, Zhu, Shi, Yu (2020): INSPIRED: Toward Sociable Recommendation Dialog Systems. EMNLP 2020.",
    bibtex=(
        "@inproceedings{hayati2020inspired,\n"
        "  title = {{INSPIRED}: Toward Sociable Recommendation Dialog Systems},\n"
        "  author = {Hayati, Shirley Anugrah and Kang, Dongyeop and Zhu, Qingxiaoyang and Shi, Weiyan and Yu, Zhou},\n"
        "  booktitle = {EMNLP},\n"
        "  year = {2020}\n"
        "}"
    ),
    counts={
        "dialogues (dev)": 99,
        "utterances (dev)": 3538,
        "recommender utterances (dev)": 1860,
        "with one of the 13 strategies (dev)": 1587,
        "dialogues (test)": 99,
        "utterances (test)": 3438,
        "recommender utterances (test)": 1764,
        "with one of the 13 strategies (test)": 1496,
    },
    defects=(
        "Labels are per sentence: 48% of recommender turns contain several sentences, 34% several distinct strategies.",
        "The label column is expert_label, not first_label as its README says; second_label is rare (67 in dev and test).",
        "The largest class is no_strategy (541 of 3,624 recommender utterances of dev and test).",
        "dev and test contain 99 dialogues each, not 100 as its README says.",
        (
            "Films were found by matching strings: 'Mine (2016)' in 'Mine is the Shawshank Redemption'. 18% of "
            "them do not occur in the text as annotated and have no offsets."
        ),
        "QUOTATION_MARK stands for a quotation mark (put back); some apostrophes were lost before publication (kept).",
        "One row of dev has nan for the outcome.",
    ),
)

FORMAT = SimpleFormat(
    name="inspired",
    summary="INSPIRED's tab-separated files with strategies: one .tsv, or a folder of dev.tsv, test.tsv, train.tsv.",
    recognise=in_file_or_folder(_is_inspired, suffixes=(".tsv",)),
    reader=_read,
)

CORPUS = Corpus(source=SOURCE, reader=_read)
