"""``trialogue study translations``: check and create translations of the study pages."""

from typing import Annotated

import typer


def translations(
    language: Annotated[str | None, typer.Argument(help="Language code, such as de (default: all).")] = None,
    new: Annotated[bool, typer.Option("--new", help="Create an empty catalog for the language.")] = False,
    compile_: Annotated[bool, typer.Option("--compile", help="Compile the catalog that the pages read.")] = False,
) -> None:
    """Check whether all texts of the pages are translated, and list missing texts. Exit code 1 if a text is missing."""
    from trialogue.errors import UsageError
    from trialogue.extras import need
    from trialogue.study import translations as catalogs

    need("django", extra="study", purpose="check the texts of the pages")
    if new:
        if language is None:
            raise UsageError("--new requires a language code, such as: trialogue study translations fr --new")
        typer.echo(
            f"Catalog: {catalogs.new_catalog(language)}. Then: trialogue study translations {language} --compile"
        )
        return
    texts, missing = catalogs.used_texts(), 0
    for name in [language] if language else catalogs.languages():
        path = catalogs.path_of(name)
        catalog = catalogs.read_catalog(path)
        if compile_:
            catalogs.compile_catalog(catalog, path)
        problems = catalogs.problems_of(catalog, path, texts)
        missing += len(problems)
        found = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}" if problems else "complete"
        typer.echo(f"{name}: {len(texts)} texts, {found}")
        for problem in problems:
            typer.echo(f"  {problem}")
    if missing:
        raise typer.Exit(1)
