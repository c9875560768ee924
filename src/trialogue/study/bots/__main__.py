"""Entry point of a simulated study's process, ``python -m trialogue.study.bots ROOM``, started by ``simulation``."""

import sys
from pathlib import Path

from trialogue.study.bots.child import run

if __name__ == "__main__":
    run(Path(sys.argv[1]))
