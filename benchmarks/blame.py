"""Who is to blame for failed dialogues: logs by people who had not seen the rules. Writes ``BLAME.md``.

Run it with ``python -m benchmarks.blame``; it takes two seconds.
"""

import json
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.tables import table
from trialogue.findings.logs.blame import blame_of
from trialogue.inputs.inputs import gather

HERE = Path(__file__).parent
PARTIES = ("model", "tool", "user", "harness", "none")
PAGE = """# Who is to blame for a failed dialogue

Measured by `python -m benchmarks.blame`. Two sets of invented logs of recommenders, in the forms in which models, servers,
tools and runners write their errors. Their authors knew the parties' definitions and had not seen the rules. In each set 40
logs only look as if they had failed (an error that was recovered from, "error" in a title, an apology in a plot).

## Second set: at first sight

`blame_logs_2.jsonl`, run once on rules that were finished before it was opened (commit bce5640c): **98 of 120 right** (model
20 of 26, tool 18 of 26, user 9 of 14, harness 12 of 14, none 39 of 40); 101 with the second party that the author calls
defensible. **These are the numbers to quote.** Today:

{second}

## First set: read since

`blame_logs.jsonl`. At first sight, at commit c5b75515 and with nothing changed, 77 of 116 were right (model 19 of 24, tool 9
of 24, user 1 of 12, harness 8 of 16, none 40 of 40). It was read afterwards, and the rules of
`findings/logs/blame.py` (a limit that was reached, an answer cut off or running in circles, a user who left a
question open or whose part is no user's) were written with it in sight. Today:

{first}

## False alarms on people

The new rules on real dialogues of people: 0 of 474 (CRSArena-Dial), 0 of 198 (INSPIRED), 2 of 1,000 (ReDial's validation
part). Of 1,396 dialogues of RecLLMSim they name the user in 37; seven of these were read: all have a language model in the
user's part, and most speak as the assistant.

## What limits it

A user who leaves without any record of an end is no failure, since a conversation may end with the system's answer. A system
that covers up a tool's failure with an invented title is not seen. A reply that was cut off counts as a failure only if it
names nothing.
"""


def blame_all(file_name: str) -> str:
    """Table of the parties named for the logs of a file, with how many are right."""
    rows = [json.loads(line) for line in (HERE / file_name).read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chats.jsonl"
        chats = ({"id": row["id"], "system": "v1", **row["chat"]} for row in rows)
        file.write_text("".join(json.dumps(chat) + "\n" for chat in chats), encoding="utf-8")
        blamed = list(map(blame_of, gather([file]).dialogues))  # in the order of the file; a trial changes an id
    found = ["none" if blame is None else blame.party.value for blame in blamed]
    pairs = list(zip(rows, found, strict=True))
    counts = Counter((row["expected"], party) for row, party in pairs)
    heads = (*PARTIES, "unknown")
    lines = table(
        ["party by the author", "logs", *heads],
        [
            [party, str(sum(counts[party, each] for each in heads)), *(str(counts[party, each]) for each in heads)]
            for party in PARTIES
        ],
    )
    right = sum(row["expected"] == party for row, party in pairs)
    defensible = sum(party in (row["expected"], row.get("or")) for row, party in pairs)
    lines.append(
        f"{right} of {len(rows)} are right, {defensible} with the second party that the author calls defensible."
    )
    return "\n".join(lines)


def main() -> None:
    """Blame every log, and write the page."""
    text = PAGE.format(first=blame_all("blame_logs.jsonl"), second=blame_all("blame_logs_2.jsonl"))
    (HERE / "BLAME.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
