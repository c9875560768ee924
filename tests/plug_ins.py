"""The plug-in package of the tests, put where Python finds it."""

import tomllib
from pathlib import Path

PACKAGE = Path(__file__).parent / "plugin_package"


def installed(site: Path) -> Path:
    """A folder for PYTHONPATH with the package in it as pip lays it out: its module, and metadata with its entry points."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    metadata = site / f"trialogue_shouting-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
        for group, points in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    (site / "trialogue_shouting").symlink_to(PACKAGE / "src" / "trialogue_shouting")
    return site
