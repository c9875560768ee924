"""The ordinal mixed model against ``clmm`` of R's package ordinal, on the same ratings in one run.

``python -m benchmarks.clmm_against_r`` (Debian: ``apt-get install r-cran-ordinal``). Each design is drawn from a model with
known standard deviations; both programs fit raters, situations, tastes (rater x system) and replies (situation x system)
with Laplace's method, with standard errors. CPU seconds are of the fit alone.
"""

import csv
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studies import drawn, machine
from trialogue.subjects.people.models import effects_of, fit

HERE = Path(__file__).parent
PAGE = HERE / "CLMM.md"
DESIGNS = ((12, 30, 9), (30, 60, 9), (60, 180, 9))
"""People, situations, situations that each of them sees; three systems."""
SCRIPT = r"""
suppressMessages(library(ordinal))
file <- commandArgs(trailingOnly = TRUE)[1]
d <- read.csv(file, colClasses = c("integer", rep("character", 5)))
d$rating <- factor(d$rating, ordered = TRUE)
d$position <- factor(d$position)
start <- proc.time()
m <- clmm(rating ~ system + position + (1 | rater) + (1 | taste) + (1 | item) + (1 | reply), data = d, Hess = TRUE)
took <- proc.time() - start
beta <- coef(summary(m))
pick <- grepl("^system", rownames(beta))
sds <- sapply(VarCorr(m), function(v) sqrt(v[1, 1]))
cat(sprintf('{"seconds": %.3f, "log_likelihood": %.6f, "beta": [%s], "errors": [%s], "spreads": {%s}, "version": "%s"}',
  took[["user.self"]] + took[["sys.self"]], as.numeric(logLik(m)), paste(sprintf("%.6f", beta[pick, 1]), collapse = ", "),
  paste(sprintf("%.6f", beta[pick, 2]), collapse = ", "),
  paste(sprintf('"%s": %.6f', names(sds), sds), collapse = ", "), as.character(packageVersion("ordinal"))))
"""


def ours(table: Any) -> dict[str, Any]:
    """Our fit."""
    started = time.process_time()
    found = fit(table, effects_of(table), confidence=0.95)
    seconds = time.process_time() - started
    names = [name for name in found.design.names if name.startswith("system=")]
    errors = np.sqrt(np.diag(found.covariance))[[found.design.names.index(name) for name in names]]
    return {
        "seconds": seconds,
        "log_likelihood": found.log_likelihood,
        "beta": [found.coefficients[name].value for name in names],
        "errors": errors.tolist(),
        "spreads": {name: one.value for name, one in found.spreads.items()},
    }


def theirs(table: Any, folder: Path) -> dict[str, Any]:
    """R's."""
    data, script = folder / "ratings.csv", folder / "fit.R"
    with data.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["rating", "system", "rater", "item", "position", "reply"])
        for row in table.rows:
            rows.writerow([int(row.rating), row.system, row.rater, row.item, row.position, f"{row.item}{row.system}"])
    script.write_text(
        SCRIPT.replace("d$position <-", "d$taste <- paste0(d$rater, d$system)\nd$position <-"), encoding="utf-8"
    )
    words = ["Rscript", str(script), str(data)]
    found: dict[str, Any] = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return found


def main() -> None:
    """Both programs on each design, and the page."""
    if shutil.which("Rscript") is None:
        raise SystemExit("Rscript is not installed; on Debian: apt-get install r-cran-ordinal")
    lines = []
    version = ""
    for workers, pool, situations in DESIGNS:
        table = drawn(
            np.random.default_rng(1), workers=workers, effects=(0.0, 0.5, 1.0), taste=0.4, reply=0.85, pool=pool,
            situations=situations,
        )  # fmt: skip
        one = ours(table)
        with tempfile.TemporaryDirectory() as folder:
            other = theirs(table, Path(folder))
        version = other["version"]
        apart = max(abs(a - b) for a, b in zip(one["beta"], other["beta"], strict=True))
        lines.append(
            f"| {workers} people, {pool} situations, {len(table.rows):,} ratings | {one['seconds']:.2f} | "
            f"{other['seconds']:.2f} | {other['seconds'] / one['seconds']:.0f} times | {one['log_likelihood']:.3f} | "
            f"{other['log_likelihood']:.3f} | {apart:.4f} |"
        )
        print(lines[-1], one, other, flush=True)
    page = [
        "# The ordinal mixed model against R's `ordinal::clmm`",
        "",
        f"{machine()}; one process each, one BLAS thread here, R's reference BLAS there; ordinal {version}.",
        "Written by `python -m benchmarks.clmm_against_r`. The same ratings, five points, three systems; position and",
        "system as fixed effects, crossed random intercepts for people, people × system, situations, situations × system;",
        "Laplace's method and standard errors in both. CPU seconds of the fit alone.",
        "",
        "| design | Trialogue, CPU s | R, CPU s | ratio | log-likelihood | R's | log-odds apart, at most |",
        "|---|---|---|---|---|---|---|",
        *lines,
        "",
    ]
    PAGE.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
