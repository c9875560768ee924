"""Default durations of experiment stages, from a benchmark on one machine, for stages without measurements.

From ``benchmarks/EXPERIMENT.md`` (``python -m benchmarks.experiment``) and ``benchmarks/SIMULATION.md``:
seconds of one core of a server. They are the middle of a wide range (``SLOWER``), since yours is another machine.
"""

from typing import NamedTuple

from trialogue.agents import Workload

SOURCE = "benchmarks/EXPERIMENT.md"
FASTER, SLOWER = 0.5, 3.0
"""By what another machine, or other data of that size, may be faster and slower."""
AGAIN = (0.7, 1.5)
"""By what the same work on the same machine may be faster and slower than the last time."""
KILOBYTES = 6.8
"""Size in kilobytes of a simulated dialogue with annotations, in a file."""


class Rate(NamedTuple):
    """Duration of a stage: a constant in seconds, plus seconds per megabyte."""

    fixed: float
    per_megabyte: float

    def seconds_for(self, megabytes: float) -> float:
        """Seconds for an amount of data."""
        return self.fixed + self.per_megabyte * megabytes


STAGES = {
    "simulated": Rate(0.1, 0.27),
    "people": Rate(0.0, 0.18),
    "measure": Rate(1.4, 0.72),
    "agree": Rate(0.0, 2.92),
    "realism": Rate(0.6, 0.74),
    "passport": Rate(3.7, 1.1),  # CPU seconds at two points (0.6 and 16.5 MB), not in the benchmark's table yet
    "align": Rate(0.5, 1.17),
    "columns": Rate(0.1, 0.0),
    "report": Rate(1.2, 0.01),
}
"""By kind of stage: the beginning of its name."""
SETUP_S = 1.1
"""Seconds to read the bundled films and fit one kind of users."""
DIALOGUE_S = {Workload.RANKS_ITEMS: 1 / 380, Workload.REPEATS_TEXT: 1 / 2_172}
"""Seconds per dialogue with a reference recommender and the bundled films, and with a trivial agent."""
