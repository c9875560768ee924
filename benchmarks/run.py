"""``make bench``: measure what the docs claim, in one run, and write ``benchmarks/RESULTS.md``.

Each measurement runs in a process of its own, so that its peak memory is its own. Ratios are against what a user would do
instead, measured in the same run.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
TEXT_METRICS = [
    *(f"distinct(n={n})@{variant}" for n in (1, 2, 3, 4) for variant in ("ratio", "per_response", "chars")),
    *(f"bleu(k={k})@crslab" for k in (1, 2, 3, 4)),
    *(f"bleu(k=4)@{variant}" for variant in ("sacrebleu", "mese", "kbrd", "nltk_corpus")),
    "rouge_l@f1",
    "chrf@sacrebleu",
    "token_f1@crslab",
    "repetition@ngram",
    "length@words",
]


def kappa(_folder: Path) -> dict[str, float]:
    """Bootstrap of Cohen's kappa, 1,000 items, 10,000 resamples, against a loop over scikit-learn's function."""
    import numpy as np
    from sklearn.metrics import cohen_kappa_score

    from trialogue.stats import cohen_kappa

    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 1_000)
    b = np.where(rng.random(1_000) < 0.6, a, rng.integers(0, 3, 1_000))
    cohen_kappa(a.tolist(), b.tolist(), rng=np.random.default_rng(1), resamples=100)
    start = time.perf_counter()
    ours = cohen_kappa(a.tolist(), b.tolist(), rng=np.random.default_rng(1), resamples=10_000)
    ours_s = time.perf_counter() - start
    loop = 300  # resamples of the loop; its time is proportional to their number
    start = time.perf_counter()
    values = []
    for _ in range(loop):
        rows = rng.integers(0, 1_000, 1_000)
        values.append(cohen_kappa_score(a[rows], b[rows]))
    loop_s = (time.perf_counter() - start) * 10_000 / loop
    assert ours.interval is not None
    low, high = np.quantile(values, [0.025, 0.975])
    assert abs(ours.interval.low - low) < 0.02
    assert abs(ours.interval.high - high) < 0.02
    return {"ours_s": ours_s, "loop_s": loop_s, "ratio": loop_s / ours_s}


def text(folder: Path) -> dict[str, float]:
    """All text metrics over 100,000 responses with references, unit scores and intervals included."""
    from benchmarks.material import write_offline
    from trialogue.workflows.score import score

    path = folder / "offline.jsonl"
    write_offline(path, 100_000)
    start, cpu = time.perf_counter(), time.process_time()
    found = score(path, metrics=TEXT_METRICS)
    return {
        "wall_s": time.perf_counter() - start,
        "cpu_s": time.process_time() - cpu,
        "metrics": len(found),
        "responses": 100_000,
    }


def stream(folder: Path, utterances: int) -> dict[str, float]:
    """Read, validate and score for distinct-2 in one pass."""
    from benchmarks.material import write_dialogues
    from trialogue.metrics import Settings
    from trialogue.workflows.score import score

    path = folder / "dialogues.jsonl"
    write_dialogues(path, utterances)
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    score(path, metrics=["distinct(n=2)@ratio"], settings=Settings(resamples=1_000, permutations=1_000))
    return {
        "wall_s": time.perf_counter() - start,
        "file_mb": path.stat().st_size / 1e6,
        "before_mb": before / 1e3,
        "utterances": utterances,
    }


def arena(folder: Path) -> dict[str, float]:
    """``trialogue evaluate crsarena-dial`` from end to end, report and figures included."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "trialogue", "evaluate", "crsarena-dial", "--out", str(folder / "arena"), "-q"],
        check=True,
        capture_output=True,
    )
    return {"wall_s": time.perf_counter() - start}


MEASUREMENTS: dict[str, Callable[[Path], dict[str, float]]] = {
    "kappa": kappa,
    "text": text,
    "stream_100k": lambda folder: stream(folder, 100_000),
    "stream_1m": lambda folder: stream(folder, 1_000_000),
    "arena": arena,
}


def measured(name: str) -> dict[str, float]:
    """One measurement in a process of its own, with its peak memory."""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, __file__, name], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE, check=True
    ).stdout.strip()


def results(found: dict[str, dict[str, float]]) -> str:
    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        "?",
    )
    k, t, small, large = found["kappa"], found["text"], found["stream_100k"], found["stream_1m"]
    rows = [
        (
            "Cohen's kappa, 1,000 items, 10,000 resamples",
            f"{k['ours_s'] * 1e3:.1f} ms; a loop over scikit-learn's `cohen_kappa_score` {k['loop_s']:.1f} s "
            f"(from 300 resamples): **{k['ratio']:,.0f} times**",
        ),
        (
            f"{len(TEXT_METRICS)} text metrics over 100,000 responses with references",
            f"**{t['wall_s']:.1f} s** wall, {t['cpu_s']:.1f} s CPU, one process, peak {t['peak_mb']:,.0f} MB",
        ),
        (
            f"100,000 utterances ({small['file_mb']:.0f} MB) read, validated, scored for distinct-2",
            f"{small['wall_s']:.1f} s, peak {small['peak_mb']:,.0f} MB",
        ),
        (
            f"1,000,000 utterances ({large['file_mb']:.0f} MB), the same",
            f"**{large['wall_s']:.1f} s**, peak {large['peak_mb']:,.0f} MB",
        ),
    ]
    lines = [
        "# Results of `make bench`",
        "",
        f"Commit {commit()}, Python {platform.python_version()}, {os.cpu_count()} cores, {cpu}. One run; every ratio is",
        "of two measurements in it. Peak memory is of the whole process, interpreter and libraries included.",
        "",
        "| what | measured |",
        "|---|---|",
        *(f"| {what} | {measured} |" for what, measured in rows),
    ]
    if "arena" in found:
        lines.append(f"| `trialogue evaluate crsarena-dial`, from files to report | {found['arena']['wall_s']:.1f} s |")
    lines += [
        "",
        "Memory of a stream grows with the number of *different* n-grams (12 bytes each) and with a row of sums a dialogue,",
        "not with the text: no utterance is held after its batch. How well the title linker finds titles is in",
        "[LINKER.md](LINKER.md), how good models of strategies are in [STRATEGIES.md](STRATEGIES.md) and",
        "[SEQUENCE.md](SEQUENCE.md).",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) > 1:
        with tempfile.TemporaryDirectory() as folder:
            found = MEASUREMENTS[sys.argv[1]](Path(folder))
        children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        peak = max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, children)
        print(json.dumps({**found, "peak_mb": peak / 1e3}))
        return
    names = [name for name in MEASUREMENTS if name != "arena" or os.environ.get("TRIALOGUE_DATA_MIRROR")]
    measurements = {}
    for name in names:
        print(f"{name} ...", flush=True)
        measurements[name] = measured(name)
        print(f"  {measurements[name]}", flush=True)
    (HERE / "RESULTS.md").write_text(results(measurements), encoding="utf-8")
    print(f"wrote {HERE / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
