"""Write the items of the study: every need of a test set, once with every agent.

    python assign.py needs.jsonl my_study/items.jsonl

The task states the need in words and says which items the participant knows already; the need itself goes into the
export, where it is never shown.
"""

import json
import sys
from pathlib import Path

LEAST = 30
"""Different needs that lift takes."""
AGENTS = ("guided", "genre_led", "distracted", "static_list", "popular")


def words_of(need: dict) -> str:
    """A need as a participant reads it."""
    wishes = [f"{each['attribute']}: {', '.join(each['values'])}" for each in need["constraints"]]
    return (
        "Imagine that you are looking for a film like this: " + "; ".join(wishes) + ". Ask for it in your own words. "
        "A film that you named yourself does not count."
    )


def main(needs: Path, items: Path) -> None:
    """Read a test set and write a study's items."""
    cases = [json.loads(line) for line in needs.read_text(encoding="utf-8").splitlines()[1:]]
    different = len({tuple(sorted(case["need"]["acceptable"])) for case in cases})
    if different < LEAST:
        sys.exit(f"{needs} has {different} different needs, and lift takes {LEAST}: simulate more dialogues (n).")
    lines = [
        {
            "kind": "chat_item",
            "key": f"{agent}-{case['case']}",
            "dialogue_id": f"need {case['case']}",
            "agents": [agent],
            "task": words_of(case["need"]),
            "need": case["need"],
        }
        for case in cases
        for agent in AGENTS
    ]
    items.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    sys.stdout.write(f"{len(lines)} items: {len(cases)} needs with each of {len(AGENTS)} agents\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
