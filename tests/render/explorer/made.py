"""An explorer of made-up records, and its chunks read again."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.render.made import two
from trialogue.findings import Findings
from trialogue.records import (
    Dialogue,
    DialogueAct,
    Ending,
    MeasureName,
    Mention,
    Need,
    Preference,
    Raters,
    Reason,
    ReasonCode,
    Response,
    Scale,
    Score,
    ScoreBlock,
    Situation,
    StrategyLabel,
    Utterance,
)
from trialogue.records.kinds.origins import ActOrigin, Labeller, MentionedBy
from trialogue.records.need import Constraint
from trialogue.records.scores.score_block import Gap, ScoreColumn
from trialogue.render.explorer.entries import Part
from trialogue.render.explorer.write import write_explorer

HOSTILE = "</script><img src=x onerror=alert(1)> ' \" \\ \u2028 \u2029 <!-- ]]> ${x} \x00 \ud800"
"""Every way out of a script or a string that is known to us."""
TURNS, LENGTH = MeasureName("turns|v1"), MeasureName("length@words|v1")
SATISFIED = MeasureName.of_question("satisfaction")
_ESCAPE = re.compile(r"\\(x3c|u2028|u2029|.)")
_CHUNK = re.compile(r"Explorer\.receive\(\"([a-z0-9-]+)\", '(.*)'\);\n", re.DOTALL)


def read_chunk(path: Path) -> Any:
    """The content of a chunk, by the rules of JavaScript's strings; an assertion fails where a string would end early."""
    match = _CHUNK.fullmatch(path.read_text(encoding="utf-8"))
    assert match is not None
    assert match[1] == path.stem
    assert re.search(r"(?<!\\)(?:\\\\)*'", match[2]) is None
    letters = {"x3c": "<", "u2028": "\u2028", "u2029": "\u2029"}
    return json.loads(_ESCAPE.sub(lambda found: letters.get(found[1], found[1]), match[2]))


def read_data(folder: Path) -> dict[str, Any]:
    """Every chunk of an explorer by name."""
    return {path.stem: read_chunk(path) for path in (folder / "explorer" / "data").glob("*.js")}


def talk(name: str, system: str, texts: Sequence[str], **fields: Any) -> Dialogue:
    """A dialogue in which the user begins."""
    said = [Utterance(speaker="system" if place % 2 else "user", text=text) for place, text in enumerate(texts)]
    return Dialogue(id=name, system=system, utterances=tuple(said), **fields)


def rich() -> Dialogue:
    """A dialogue with something of everything."""
    asked = Utterance(
        speaker="user",
        text="\U0001f600 I like Heat.",
        acts=(DialogueAct(intent="Disclose"),),
        acts_by=ActOrigin.RECOGNISED,
        acts_labeller="llm|v1|tiny",
        mentions=(Mention(title="Heat (1995)", item_id="heat", start=9, end=13, by=MentionedBy.LINKED, origin="l"),),
    )
    said = Utterance(
        speaker="system",
        text="See Ronin, then.",
        strategies=(StrategyLabel(strategy="offer_help", origin="m|v1", by=Labeller.MODEL, probability=0.75),),
        ranking=("ronin", "heat"),
        meta={"latency_s": 1.25, "thought": "cars"},
    )
    need = Need(
        id="n1", constraints=(Constraint(attribute="genre", values=("crime",), relaxable=True),), targets=("r",)
    )
    return Dialogue(
        id="rich",
        system="A",
        utterances=(asked, said),
        user="u1",
        need=need,
        ended_by=Ending.AGENT_ERROR,
        meta={"k": [1]},
    )


def block() -> ScoreBlock:
    """Turns of three dialogues of A, of which one is undefined, and lengths of their replies."""
    why = Reason.of(ReasonCode.TOO_FEW_RATERS, raters=3)
    return ScoreBlock(
        system="A",
        dialogues=("rich", "second", "third"),
        replies=(1, 2, 0),
        utterances=(1, 1, 3),
        columns=(
            ScoreColumn(measure=TURNS, dialogues=(2.0, 4.0, None), gaps=(Gap(why=why, dialogues=(2,)),)),
            ScoreColumn(measure=LENGTH, replies=(3.0, 5.0, 8.0)),
        ),
    )


def answer(dialogue: str, value: float, rater: str, system: str = "A") -> Score:
    """What a person said of a dialogue."""
    return Score(
        measure=SATISFIED, level="dialogue", value=value, system=system, dialogue_id=dialogue, rater=rater,
        raters=Raters.INVENTED, scale=Scale(low=1, high=5),
    )  # fmt: skip


def part() -> Part:
    """Three dialogues of A and two of B, one on the same need, and a vote."""
    dialogues = [
        rich(),
        talk("second", "A", ["hello", "one two", "more, please, of that kind", "three"], ended_by=Ending.USER_ENDED),
        talk("third", "A", [HOSTILE, HOSTILE]),
        talk("fourth", "B", ["a film", "Ronin"], need=Need(id="n1")),
        talk("rich", "B", ["the same id", "of another system"]),
    ]
    vote = Preference(
        id="v", a="A", b="B", choice="a", dialogue_a="rich", dialogue_b="fourth", rater="p9", reason="it listens"
    )
    scores: list[Score | ScoreBlock] = [
        answer("rich", 4, "u1"),
        answer("rich", 1, "u2"),
        answer("fourth", 2, "u1", "B"),
        block(),
    ]
    return Part(scores=scores, dialogues=dialogues, preferences=[vote])


def replies() -> Part:
    """Two systems answer one situation; another reply is to a situation that is not on record."""
    situation = Situation(
        id="s1",
        context=(Utterance(speaker="user", text="hi there, I would like a film"),),
        reference=Utterance(speaker="system", text="See Heat."),
    )
    said = [
        Response(situation_id="s1", system="A", utterance=Utterance(speaker="system", text="Ronin?")),
        Response(
            situation_id="s1", system="B", utterance=Utterance(speaker="system", text=""), failure=Ending.AGENT_TIMEOUT
        ),
        Response(situation_id="gone", system="B", utterance=Utterance(speaker="system", text="lost")),
    ]
    scores = ScoreBlock(
        system="A", dialogues=(None,), replies=(1,), situations=("s1",),
        columns=(ScoreColumn(measure=LENGTH, replies=(1.0,)),),
    )  # fmt: skip
    return Part(scores=[scores], situations=[situation], responses=said)


def written(folder: Path, *parts: Part, findings: Findings | None = None) -> dict[str, Any]:
    """The chunks of an explorer of some parts."""
    assert write_explorer(findings or two(), list(parts), folder) == folder / "explorer.html"
    return read_data(folder)
