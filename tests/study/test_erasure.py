"""What is erased is on the disk no more: not in the database, not in its journal, not in what SQLite leaves lying,
not in an export that is made afterwards, and not in what the program said."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_byte_of_an_erased_id_code_or_answer_is_left_on_the_disk(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.study.erasing", "5f3c0de1d0fab1e"],
        cwd=ROOT,
        env={**environment, "TRIALOGUE_STUDY": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    code = done.stdout
    assert code.startswith("P")
    assert (tmp_path / "export" / "answers.csv").is_file()
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()) + done.stderr.encode()
    assert b"somebody-else" in stored
    assert b"words of somebody-else" in stored
    for gone in ("5f3c0de1d0fab1e", "words of 5f3c", code):
        assert gone.encode() not in stored
