"""Methods section for a paper: LaTeX paragraphs, and BibTeX entries of the measures and methods used."""

import re

from trialogue.findings import Findings, Measure
from trialogue.report.evaluation.methods import methods
from trialogue.report.markup import escape_latex
from trialogue.report.measures import all_leagues, labels, paper_leagues
from trialogue.report.text import slug

METHODS, REFERENCES = "methods.tex", "references.bib"

SOFTWARE = """@software{trialogue,
  author = {{The Trialogue developers}},
  title = {Trialogue: conversational recommender systems measured, simulated, judged},
  version = {VERSION},
  license = {Apache-2.0},
}"""
STATISTICS = {  # what a sentence of the methods says, and what it rests on
    "bootstrap": """@book{efron1993bootstrap,
  author = {Efron, Bradley and Tibshirani, Robert J.},
  title = {An Introduction to the Bootstrap},
  publisher = {Chapman \\& Hall},
  year = {1993},
}""",
    "Bonferroni": """@article{dunn1961multiple,
  author = {Dunn, Olive Jean},
  title = {Multiple Comparisons among Means},
  journal = {Journal of the American Statistical Association},
  volume = {56},
  number = {293},
  pages = {52--64},
  year = {1961},
}""",
    "Westfall": """@book{westfall1993resampling,
  author = {Westfall, Peter H. and Young, S. Stanley},
  title = {Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment},
  publisher = {Wiley},
  year = {1993},
}""",
    "Mogstad": """@article{mogstad2024inference,
  author = {Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel},
  title = {Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across
    Countries},
  journal = {The Review of Economic Studies},
  volume = {91},
  number = {1},
  pages = {476--518},
  year = {2024},
}""",
    "Piepho": """@article{piepho2004algorithm,
  author = {Piepho, Hans-Peter},
  title = {An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons},
  journal = {Journal of Computational and Graphical Statistics},
  volume = {13},
  number = {2},
  pages = {456--466},
  year = {2004},
}""",
    "Newcombe": """@article{newcombe1998interval,
  author = {Newcombe, Robert G.},
  title = {Interval Estimation for the Difference between Independent Proportions: Comparison of Eleven Methods},
  journal = {Statistics in Medicine},
  volume = {17},
  number = {8},
  pages = {873--890},
  year = {1998},
}""",
    "Tango": """@article{tango1998equivalence,
  author = {Tango, Toshiro},
  title = {Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample Design},
  journal = {Statistics in Medicine},
  volume = {17},
  number = {8},
  pages = {891--908},
  year = {1998},
}""",
    "Chung and Romano": """@article{chung2013exact,
  author = {Chung, EunYi and Romano, Joseph P.},
  title = {Exact and Asymptotically Robust Permutation Tests},
  journal = {The Annals of Statistics},
  volume = {41},
  number = {2},
  pages = {484--507},
  year = {2013},
}""",
    "skewness": """@article{hall1992removal,
  author = {Hall, Peter},
  title = {On the Removal of Skewness by Transformation},
  journal = {Journal of the Royal Statistical Society: Series B},
  volume = {54},
  number = {1},
  pages = {221--228},
  year = {1992},
}""",
    "Davidson": """@article{davidson1970extending,
  author = {Davidson, Roger R.},
  title = {On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments},
  journal = {Journal of the American Statistical Association},
  volume = {65},
  number = {329},
  pages = {317--328},
  year = {1970},
}""",
}


def methods_tex(findings: Findings) -> str:
    """Methods paragraphs for a paper, citing ``references.bib``.

    Every character that LaTeX would take for a command is escaped, whatever names the data hold.
    """
    paragraphs = [escape_latex(paragraph) for paragraph in methods(findings, paper_leagues(findings))]
    text = "\n\n".join(_add_citation(paragraph) for paragraph in [*paragraphs, *_metric_sentences(findings)])
    return f"% Written by Trialogue. Needs references.bib.\n{text}\n"


def references_bib(findings: Findings) -> str:
    """References of ``methods.tex``: Trialogue, the statistics used, and the measures' sources."""
    text = " ".join(methods(findings, paper_leagues(findings)))
    version = findings.manifest.versions.get("trialogue", "unknown")
    entries = [SOFTWARE.replace("VERSION", version)]
    entries += [entry for word, entry in STATISTICS.items() if word in text]
    entries += [
        f"@misc{{{_key(measure)},\n  note = {{{escape_latex(measure.card.citation)}}},\n}}"
        for measure in _measures_with_sources(findings)
        if measure.card is not None
    ]
    return "\n\n".join(dict.fromkeys(entries)) + "\n"


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
        r"(?<=Davidson \(1970\))": "davidson1970extending",
        r"(?<=cluster bootstrap)": "efron1993bootstrap",
        r"(?<=Computed by trialogue)": "trialogue",
    }
    for pattern, key in keys.items():
        paragraph = re.sub(pattern, lambda _found, key=key: f"~\\cite{{{key}}}", paragraph, count=1)  # type: ignore[misc]
    return paragraph.replace(" ~\\cite", "~\\cite")
