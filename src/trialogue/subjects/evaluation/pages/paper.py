"""Methods section for a paper: LaTeX paragraphs, and BibTeX entries of the measures and methods used."""

import re
from importlib.resources import files

from trialogue.findings import Findings, Measure
from trialogue.render.markup import escape_latex
from trialogue.render.measures import all_leagues, labels, paper_leagues
from trialogue.render.text import slug
from trialogue.subjects.evaluation.pages.methods import methods

METHODS, REFERENCES = "methods.tex", "references.bib"


def methods_tex(findings: Findings) -> str:
    """Methods paragraphs for a paper, citing ``references.bib``.

    Every character that LaTeX would take for a command is escaped, whatever names the data hold.
    """
    paragraphs = [escape_latex(paragraph) for paragraph in methods(findings, paper_leagues(findings))]
    text = "\n\n".join(_add_citation(paragraph) for paragraph in [*paragraphs, *_metric_sentences(findings)])
    return f"% Written by Trialogue. Needs references.bib.\n{text}\n"


def references_bib(findings: Findings) -> str:
    """References of ``methods.tex``: Trialogue, the statistics that it cites, and the measures' sources."""
    cited = set(re.findall(r"\\cite\{([^}]+)\}", methods_tex(findings)))
    version = findings.manifest.versions.get("trialogue", "unknown")
    known = (files("trialogue.render") / "templates" / "statistics.bib").read_text("utf-8").strip().split("\n\n")
    entries = [entry.replace("VERSION", version) for entry in known if _key_of(entry) in {"trialogue", *cited}]
    entries += [
        f"@misc{{{_key(measure)},\n  note = {{{escape_latex(measure.card.citation)}}},\n}}"
        for measure in _measures_with_sources(findings)
        if measure.card is not None
    ]
    return "\n\n".join(dict.fromkeys(entries)) + "\n"


def _key_of(entry: str) -> str:
    return entry.partition("{")[2].partition(",")[0]


def _measures_with_sources(findings: Findings) -> list[Measure]:
    """Measures whose cards name a source, one for each card."""
    found: dict[str, Measure] = {}
    for league in all_leagues(findings):
        card = league.measure.card
        if card is not None and card.citation:
            found.setdefault(card.name, league.measure)
    return list(found.values())


def _metric_sentences(findings: Findings) -> list[str]:
    """A sentence that names every metric of the paper's table with its formula, and cites its source."""
    leagues = paper_leagues(findings)
    names = labels(leagues)
    sourced = {measure.card.name: measure for measure in _measures_with_sources(findings) if measure.card}
    said = []
    for league in leagues:
        card = league.measure.card
        if card is None:
            continue
        cite = f"~\\cite{{{_key(sourced[card.name])}}}" if card.name in sourced else ""
        said.append(
            f"{escape_latex(names[league.measure.name])}{cite} (\\texttt{{{escape_latex(league.measure.name)}}})"
        )
    return ["Metrics by the names of their formulas: " + "; ".join(said) + "."] if said else []


def _key(measure: Measure) -> str:
    return "metric-" + slug(measure.card.name if measure.card else measure.name)


def _add_citation(paragraph: str) -> str:
    """Insert a citation into the paragraph that mentions its method."""
    keys = {
        r"\(Mogstad et al\., 2024\)": "mogstad2024inference",
        r"\(Piepho, 2004\)": "piepho2004algorithm",
        r"\(Westfall and Young, 1993\)": "westfall1993resampling",
        r"(?<=Bonferroni's method)": "dunn1961multiple",
        r"(?<=Newcombe's )\(1998\)": "newcombe1998interval",
        r"(?<=Tango's )\(1998\)": "tango1998equivalence",
        r"\(Chung and Romano, 2013\)": "chung2013exact",
        r"(?<=corrected for skewness)": "hall1992removal",
        r"(?<=Hall's )\(1992\)": "hall1992removal",
        r"\(Davidson 1970\)|(?<=Davidson) \(1970\)": "davidson1970extending",
        r"(?<=\bbootstrap)": "efron1993bootstrap",
        r"(?<=Computed by trialogue)": "trialogue",
    }
    for pattern, key in keys.items():
        paragraph = re.sub(pattern, lambda _found, key=key: f"~\\cite{{{key}}}", paragraph, count=1)  # type: ignore[misc]
    return paragraph.replace(" ~\\cite", "~\\cite")
