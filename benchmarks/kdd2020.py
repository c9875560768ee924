"""The tables of KDD 2020 again, with the command's own defaults; writes ``benchmarks/KDD2020.md``.

    python -m benchmarks.kdd2020 FOLDER           # dialogues are kept there, and not held again

Needs the corpora kdd2020 and movielens-latest-small (``trialogue data get``, or TRIALOGUE_DATA_MIRROR).
"""

import argparse
import platform
import subprocess
from pathlib import Path

from trialogue.reproduce.kdd2020 import render_tables, reproduce

HERE = Path(__file__).resolve().parent
PAGE = """# KDD 2020, Tables 4 and 5

Written by `benchmarks/kdd2020.py`, after commit {commit}, Python {python}, {machine}: what
`trialogue simulate --reproduce kdd2020` prints.

```text
{tables}
```
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    tables = render_tables(reproduce(given.folder, jobs=given.jobs))
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True)
    page = PAGE.format(
        commit=head.stdout.strip(), python=platform.python_version(), machine=platform.machine(), tables=tables
    )
    (HERE / "KDD2020.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
