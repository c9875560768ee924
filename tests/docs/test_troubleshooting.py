"""The page on messages is complete: whoever searches it for the fixed part of a message that was printed finds it."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest
from tests.cli.words import trialogue
from tests.untraced import untraced

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
MESSAGES = '[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Heat?"}]'
GOOD = '{"id": "%s", "system": "%s", "messages": ' + MESSAGES + "}\n"
FILES = {
    "empty.jsonl": "",
    "good.jsonl": GOOD % ("1", "a") + GOOD % ("2", "b"),
    "cut.jsonl": GOOD[:-4],
    "twice.jsonl": GOOD % ("1", "a") + (GOOD % ("1", "a")).replace("Heat", "Ronin"),
    "number.json": "17",
    "roles.jsonl": GOOD.replace("assistant", "dog") % ("1", "a"),
    "up.jsonl": (GOOD % ("1", "a")).replace('"1",', '"1", "rating": "up",')
    + (GOOD % ("2", "a")).replace('"2",', '"2", "rating": 4,'),
    "head.csv": "who,what\n",
    "odd.csv": "session,who,what\na,seeker,hi\na,bot,Heat?\n",
    "ragged.csv": "dialogue,speaker,text\na,user\na,system,Heat?,more\n",
    "map.yaml": "dialogue: session\nspeaker: nobody\ntext: what\n",
    "list.yaml": "- 1\n",
    "bad.yaml": "a: [1\n",
    "simulation.yaml": "agents: {mine: reference:guided}\nuserss: [cir6-pkg]\nn: many\n",
    "experiment.yaml": "dialogues: [nothere.jsonl]\n",
    "study.yaml": "title: 4\n",
    "agent.yaml": "agent: http\nurl: localhost\n",
    "agent.py": "def reply(message):\n    return 3\n",
    "broken_agent.py": "1 / 0\n",
    "cat.csv": "id,name\n1,Heat\n",
    "protocol.json": "{}",
    "labels.csv": "a,b\n1,2\n",
    "tasks.yaml": "tasks: 3\n",
}
BAD = """
evaluate nope.jsonl
evaluate empty.jsonl
evaluate cut.jsonl
evaluate twice.jsonl
evaluate number.json
evaluate roles.jsonl
evaluate up.jsonl
evaluate head.csv
evaluate odd.csv
evaluate ragged.csv
evaluate odd.csv --mapping map.yaml
evaluate odd.csv --mapping list.yaml
evaluate odd.csv --mapping bad.yaml
evaluate good.jsonl --format csvv
evaluate good.jsonl --metric bluu
evaluate good.jsonl --metric bleu(n=4)
evaluate good.jsonl --metric bleu(k=0)
evaluate good.jsonl --metric bleu@x
evaluate good.jsonl --metric bleu(k=4
evaluate good.jsonl --metric distinct(n=many)
evaluate good.jsonl --decide protocol.json
evaluate .
score good.jsonl --metric bertscore
score good.jsonl --metric nothere:Metric
score empty.jsonl --metric length
compare good.jsonl good.jsonl
compare good.jsonl nope.jsonl
compare good.jsonl good.jsonl --system a --system nobody
agree good.jsonl
agree nope
board good.jsonl
check nope.jsonl
check head.csv
run experiment.yaml
run nope.yaml
run list.yaml
report nope
rerun .
view nope
view .
simulate simulation.yaml
simulate --agent nobody -n 1
simulate --agent http://localhost:9 -n 1
simulate --agent agent:nothing -n 1
simulate --agent agent.yaml -n 1
simulate --agent reference:guided -n 1 --users nobody
simulate --agent reference:guided -n 1 --catalogue cat.csv
simulate --agent reference:guided -n 1 --catalogue nope.csv
simulate --agent reference:guided -n 1 --set ratings=nope.csv
agents check my_missing_bot:reply
agents check broken_agent:reply
agents check reference:nobody
list users cir7
users passport reference:guided --real nope.jsonl
check nothere
check .
study new --template nothing --out st
study new nope.jsonl --template rating --out st
study report nothere
study power nothere
judge good.jsonl --rubric nothing --model openai:MODEL --i-may
judge good.jsonl --rubric overall --model nobody --i-may
judge good.jsonl --rubric overall --model openai:MODEL
list rubrics nothing
judge train nope --out judge.json
data get nothing
check nope.csv --map -
list metrics bluu
align good.jsonl --situations nope.jsonl
align good.jsonl --situations good.jsonl
compare plan good.jsonl --difference 0.1
strategies evaluate nothing --data nope.jsonl
strategies label nope.jsonl
strategies label good.jsonl labels.jsonl --model nothing
data convert good.jsonl nowhere/x.jsonl --to nothing
data convert nope.jsonl x.jsonl --to openai-chat
strategies train --data nope.jsonl --out model
tasks nope.jsonl --tasks nope.yaml
tasks --tasks tasks.yaml
ci nope.yaml
agents serve nobody
"""


@pytest.fixture(scope="module")
def page() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return importlib.import_module("troubleshooting")


def test_each_worked_example_shows_the_message_that_its_source_makes(page: ModuleType) -> None:
    strange = []
    for entry in (one for area in page.areas() for one in area.get("entries", ()) if one["source"] != "click"):
        shown = [line for lines in page.outputs_kept(entry).values() for line in lines] if "run" in entry else []
        templates = page.templates_of(entry)
        if not templates or (
            any(line.startswith(("error: ", "note: ")) for line in shown)
            and not any(one.is_in(" ".join(shown)) for one in templates)
        ):
            strange.append(entry["title"])
    assert strange == []


def test_every_message_of_a_bad_invocation_is_found_on_the_page(
    page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    lost, refused, of_others = [], 0, 0
    for line in BAD.strip().splitlines():
        with untraced():
            done = trialogue(*re.findall(r"\S+", line), PYTHONPATH=str(tmp_path))
        if "Usage:" in done.stderr:  # by typer, about its own options
            of_others += 1
            continue
        error = done.stderr.partition("error: ")[2].partition("\n  /")[0]  # not the place in the user's code
        refused += bool(error)
        lost += [(line, text) for text in error.splitlines() if not is_found(page, text)]
    assert lost == []
    assert refused >= 60


def is_found(page: ModuleType, text: str) -> bool:
    """Whether the longest fixed part of the message, without names and numbers, stands on the page."""
    fixed = (one.fixed[0] for one in page.messages() if one.is_in(text))
    return any(len(part) >= 8 and part in text and part in PAGE for part in fixed)
