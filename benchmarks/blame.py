"""Who is to blame for failed dialogues: logs by somebody who had not seen the rules. Writes ``BLAME.md``.

Run it with ``python -m benchmarks.blame``; it takes two seconds.
"""

import json
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.tables import table
from trialogue.findings.logs.blame import blame_of
from trialogue.workflows.inputs.inputs import gather

HERE = Path(__file__).parent
PARTIES = ("model", "tool", "user", "harness", "none")
PAGE = """# Who is to blame for a failed dialogue

Measured by `python -m benchmarks.blame`. `blame_logs.jsonl` holds 116 invented logs of recommenders, in the forms in which
models, servers, tools and runners write their errors. Their author knew the parties' definitions and had not seen the rules.
76 logs failed; 40 only look as if they had (an error that was recovered from, "error" in a title, an apology in a plot).

At first sight, at commit c5b75515 and with nothing changed: **77 of 116** were right (model 19 of 24, tool 9 of 24,
user 1 of 12, harness 8 of 16, none 40 of 40). **These are the numbers to quote for this set**: it was read afterwards, and
the rules of `findings/logs/quiet_endings.py` (a limit that was reached, an answer cut off or running in circles, a user who
left a question open or whose part is no user's) were written with it in sight. Today: {right} of {all}.
For {arguable} logs the author names a second party that can be defended; {without} of the other {others} are right.

False alarms of the new rules on real dialogues of people: 0 of 474 (CRSArena-Dial), 0 of 198 (INSPIRED), 2 of 1,000
(ReDial's validation part; in both, the seeker recommends). Of 1,396 dialogues of RecLLMSim they name the user in 37:
language models in the user's part that speak as the assistant.

{table}

What limits it: a user who leaves without any record of an end is no failure, since a conversation may end with the system's
answer. A system that covers up a tool's failure with an invented title is not seen. A reply that was cut off counts as a
failure only if it names nothing.
"""


def main() -> None:
    """Blame every log, and write the page."""
    rows = [json.loads(line) for line in (HERE / "blame_logs.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chats.jsonl"
        chats = ({"id": row["id"], "system": "v1", **row["chat"]} for row in rows)
        file.write_text("".join(json.dumps(chat) + "\n" for chat in chats), encoding="utf-8")
        blamed = list(map(blame_of, gather([file]).dialogues))  # in the order of the file; a trial changes an id
    parties = ("none" if blame is None else blame.party.value for blame in blamed)
    found = dict(zip((row["id"] for row in rows), parties, strict=True))
    counts = Counter((row["expected"], found[row["id"]]) for row in rows)
    heads = (*PARTIES, "unknown")
    lines = table(
        ["party by the author", "logs", *heads],
        [
            [party, str(sum(counts[party, each] for each in heads)), *(str(counts[party, each]) for each in heads)]
            for party in PARTIES
        ],
    )
    right = [row for row in rows if found[row["id"]] == row["expected"]]
    arguable = [row for row in rows if "or" in row]
    text = PAGE.format(
        right=len(right),
        all=len(rows),
        arguable=len(arguable),
        without=sum("or" not in row for row in right),
        others=len(rows) - len(arguable),
        table="\n".join(lines).rstrip(),
    )
    (HERE / "BLAME.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
