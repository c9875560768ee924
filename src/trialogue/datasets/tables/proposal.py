"""Write the mapping with which a file is read, or one that may read it, as YAML to be edited and given back."""

from dataclasses import dataclass
from pathlib import Path

from trialogue.datasets.base import Head
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.tables.arrow import is_arrow
from trialogue.datasets.tables.format import any_table, guess_table
from trialogue.datasets.tables.guess_nested import FEW_NAMES, propose, unknown_speakers
from trialogue.datasets.tables.mapping import Mapping
from trialogue.datasets.tables.nested import laid_out, paths_in
from trialogue.datasets.tables.rows import Table
from trialogue.errors import Problem

SHOWN = 30  # fields named in a message
UNKNOWN = "# What its columns hold is not clear. Fill in what applies: {fields}."
REQUIRED = (
    "text (or response and context), speaker, dialogue; of nested JSON, also messages; of answers, ratings, system"
)


@dataclass(frozen=True)
class Proposal:
    """The mapping of a file, as far as it can be told."""

    mapping: Mapping | None
    """None if nothing can be told."""
    is_sure: bool
    """Whether the file is read with it where no mapping is given."""
    fields: tuple[str, ...]
    """All columns, or the paths of the first record."""
    unread: tuple[str, ...]
    """Columns that the mapping does not use."""
    unknown: tuple[str, ...] = ()
    """Names of speakers of whom is not known whether they are the user or the system."""

    def yaml(self, file: str) -> str:
        """The mapping as YAML, with comments on what it does not read."""
        import yaml

        lines = [f"# How to read {file}." if self.is_sure else f"# How {file} may be read: check it."]
        if self.mapping is None:
            lines.append(UNKNOWN.format(fields=REQUIRED))
        else:
            text = yaml.safe_dump(self.mapping.to_json(), sort_keys=False, allow_unicode=True, width=1000)
            lines += text.splitlines()
        if self.unknown:
            names = yaml.safe_dump(
                dict.fromkeys(self.unknown, "user"), default_flow_style=True, sort_keys=False, width=1000
            )
            lines.append(f"# Whose are these? speakers: {one_line(names)}")
        named = self.unread if self.mapping is not None else self.fields
        lines += ["# Columns that are not read:", *(f"#   {one_line(name)}" for name in named)] if named else []
        return "\n".join(lines) + "\n"


def one_line(text: str) -> str:
    """A text without line breaks, for a comment."""
    return " ".join(text.split())


def proposal(path: Path) -> Proposal:
    """The mapping of a file.

    Raises:
        DataError: there is no such file.
    """
    table = any_table(path)
    sure = guess_table(table, bare_stem(path))
    mapping = propose(table, bare_stem(path)) if sure is None else sure
    if mapping is None:
        fields = paths_in(table.rows[0].cells) if table.rows else table.columns
        return Proposal(None, False, tuple(fields), ())
    flat, _ = laid_out(table, mapping, "", ParseReport("", lambda _problem: None))
    unread = tuple(column for column in flat.columns if column not in mapping.columns().values())
    unknown = unknown_speakers(mapping, table)[:FEW_NAMES]
    return Proposal(mapping, sure is not None, tuple(flat.columns), unread, tuple(unknown))


def unknown_fields(path: Path) -> Problem | None:
    """What is wrong with a table or JSON whose columns are not known, with the mapping that may read it.

    None if a file is neither.
    """
    import yaml

    table = any_table(path)
    kind = _kind(path, table)
    if kind is None:
        return None
    found = proposal(path)
    fields = ", ".join(found.fields[:SHOWN]) + (", …" if len(found.fields) > SHOWN else "")
    hint = f"To map them: trialogue data map {path} --out map.yaml, edit it, and give it with --mapping map.yaml."
    if found.mapping is not None:
        flow = yaml.safe_dump(
            found.mapping.to_json(), sort_keys=False, allow_unicode=True, default_flow_style=True, width=1000
        )
        hint = f"This mapping may read them: {flow.strip()} {hint}"
    return Problem(f"{kind}, but these fields are not recognised: {fields}.", str(path), hint=hint)


def _kind(path: Path, table: Table) -> str | None:
    """What a file is, in words; None if it is neither JSON objects nor a table."""
    if not table.rows or not table.columns:
        return None
    if is_arrow(path):
        return "Parquet or Arrow"
    head = Head(path)
    if head.is_json_list:
        return "a JSON list"
    if head.is_json_object:
        return "JSON Lines" if head.is_json_lines or len(table.rows) > 1 else "a JSON object"
    return "a table" if len(table.columns) > 1 else None
