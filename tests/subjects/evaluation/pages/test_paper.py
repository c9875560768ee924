"""Methods for a paper."""

import re

from tests.render.made import nine
from trialogue.subjects.evaluation.pages.paper import methods_tex, references_bib


def test_everything_that_is_cited_is_among_the_references() -> None:
    findings = nine()
    cited = set(re.findall(r"\\cite\{([^}]+)\}", methods_tex(findings)))
    known = set(re.findall(r"@\w+\{([^,]+),", references_bib(findings)))
    assert "dunn1961multiple" in cited
    assert cited <= known


def test_no_entry_stands_there_twice() -> None:
    keys = re.findall(r"@\w+\{([^,]+),", references_bib(nine()))
    assert len(keys) == len(set(keys))


def test_names_from_the_data_are_no_commands_of_latex() -> None:
    findings = nine().model_copy(update={"methods": (r"We used \input{secret} & 50% of $x_1$ {here}.",)})
    text = methods_tex(findings)
    assert r"\textbackslash{}input\{secret\} \& 50\% of \$x\_1\$ \{here\}" in text


def test_braces_balance() -> None:
    for text in (methods_tex(nine()), references_bib(nine())):
        plain = re.sub(r"\\[{}]", "", text)
        assert plain.count("{") == plain.count("}")
