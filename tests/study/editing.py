"""A study folder whose files are edited after people took part; ``test_edited.py`` runs it in a process of its own.

Prints what came of each command, as JSON.
"""

import json
import sys
from pathlib import Path

from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.errors import TrialogueError
from trialogue.study.opening import KEY_FILE, LAUNCHED, open_study

BROKEN = "\nbroken: ["


def main(folder: Path) -> None:
    """Launch, take people in, edit, and go on."""
    first = open_study(folder)
    from trialogue.study.models import Study
    from trialogue.study.services import entering

    Study.objects.update(state=Study.State.RUNNING)
    people = [entering.enter(Study.objects.get(), {}).participant for _ in range(3)]
    file = folder / "study.yaml"
    launched = file.read_text("utf-8")
    items = (folder / "items.jsonl").read_text("utf-8")
    found: dict[str, object] = {}
    edits = {
        "edited": (launched.replace("title: ", "title: Another "), items),
        "broken": (launched + BROKEN, items),
        "items": (launched, items + items.splitlines()[0].replace('"item-0"', '"item-9"') + "\n"),
    }
    for name, (text, kept) in edits.items():
        file.write_text(text, "utf-8")
        (folder / "items.jsonl").write_text(kept, "utf-8")
        try:
            open_study(folder)
            refused = ""
        except TrialogueError as error:
            refused = str(error)
        who = people.pop()
        assert who is not None
        ran = {
            command[0]: CliRunner().invoke(app, ["study", command[0], str(folder), *command[1:]])
            for command in (
                ("export", "--out", str(folder / name)),
                ("erase", who.code),
                ("state", "paused"),
            )
        }
        found[name] = {
            "refused": refused,
            "codes": [each.exit_code for each in ran.values()],
            "people": len((folder / name / "participants.csv").read_text("utf-8").splitlines()) - 1,
            "erased": not Study.objects.get().participants.filter(code=who.code).exists(),
            "state": Study.objects.get().state,
            "notes": sum("The study is used as it was launched." in each.output for each in ran.values()),
        }
        Study.objects.update(state=Study.State.RUNNING)
    for path in (folder / LAUNCHED).glob("*.*"):  # as the message says
        (folder / path.name).write_bytes(path.read_bytes())
    found["restored"] = open_study(folder).pk == first.pk
    key = (folder / KEY_FILE).read_bytes()
    (folder / KEY_FILE).unlink()
    try:
        open_study(folder)
    except TrialogueError as error:
        found["without a key"] = str(error)
    found["made a key"] = (folder / KEY_FILE).exists()
    (folder / KEY_FILE).write_bytes(key)
    (folder / KEY_FILE).chmod(0o600)
    found["with its key"] = open_study(folder).pk == first.pk
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
