"""Pictures of pages for the gallery, and the annotated report: writes ``docs/static``. Needs Chromium and Pillow.

    python docs/pictures.py [FOLDER]        # FOLDER: a run of crsarena-dial, for the report and its annotated copy

Pictures of studies are made by ``python -m benchmarks.screenshots``.
"""

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
from PIL import Image, ImageDraw, ImageFont

DOCS = Path(__file__).resolve().parent
STATIC = DOCS / "static"
SIZE = (1280, 800)
MARKS = {1: (52, 66), 2: (52, 150), 3: (52, 206), 4: (391, 489), 5: (427, 489), 6: (776, 199), 7: (52, 520)}
"""Numbers of docs/guide/read-a-report.md, where they stand in the picture of a report."""
COMMANDS = """
trialogue evaluate demo --out runs/demo -q
trialogue compare runs/demo runs/demo --system aria --system chip --out runs/compared
trialogue simulate v1.yaml --out dialogues/v1
trialogue simulate v2.yaml --out dialogues/v2
trialogue evaluate dialogues/v1 --metric lift -q --out runs/v1
trialogue evaluate dialogues/v2 --metric lift -q --out runs/v2
trialogue board runs/v1 runs/v2 --baseline v1 --out runs/board
trialogue users passport cir6-pkg --agent reference:guided -n 20 --set seeds=2 --set resamples=500 --out runs/passport
"""
PAGES = {
    "explorer": "runs/demo/explorer.html#system=aria&open=/aria/aria-01",
    "comparison": "runs/compared/report.html",
    "board": "runs/board/board.html",
    "passport": "runs/passport/passport.html",
    "judging": "runs/judge/judging.html",
}


def commands_of(page: Path) -> list[str]:
    """Commands that a page runs and that succeed, after its files were written here."""
    text = page.read_text(encoding="utf-8")
    for name, body in re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        Path(name).write_text(body, encoding="utf-8")
    return [line for line in re.findall(r"^\$ (.+)$", text, re.MULTILINE) if "# exit code" not in line]


def picture(address: str, file: Path) -> None:
    """A page as a browser of ``SIZE`` shows it."""
    browser = shutil.which("chromium") or shutil.which("google-chrome") or "chromium-browser"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=4000"]
    subprocess.run(
        [browser, *flags, f"--window-size={SIZE[0]},{SIZE[1]}", "--screenshot=picture.png", address],
        check=True,
        capture_output=True,
    )
    save(Image.open(io.BytesIO(Path("picture.png").read_bytes())), file)


def save(image: Image.Image, file: Path) -> None:
    """A picture of few colours."""
    image.convert("RGB").quantize(96).save(file, optimize=True)


def annotate(file: Path, target: Path) -> None:
    """A picture of a report with numbers."""
    font = ImageFont.truetype(f"{mpl.get_data_path()}/fonts/ttf/DejaVuSans-Bold.ttf", 15)
    image = Image.open(file).convert("RGB").crop((0, 0, SIZE[0], 560))
    draw = ImageDraw.Draw(image)
    for number, (x, y) in MARKS.items():
        draw.ellipse((x - 12, y - 12, x + 12, y + 12), fill=(196, 60, 20))
        draw.text((x - draw.textlength(str(number), font=font) / 2, y - 9), str(number), fill="white", font=font)
    save(image, target)


def main(report: Path | None) -> None:
    if report is not None:
        picture((report.resolve() / "report.html").as_uri(), STATIC / "report.png")
    annotate(STATIC / "report.png", STATIC / "report-annotated.png")
    with TemporaryDirectory() as room:
        os.chdir(room)
        commands_of(DOCS / "guide" / "compare.md")
        given = [line for line in COMMANDS.splitlines() if line]
        for command in (*given, *commands_of(DOCS / "guide" / "judge.md")):
            subprocess.run(shlex.split(command), check=True, capture_output=True)
        for name, page in PAGES.items():
            path, _, fragment = page.partition("#")
            address = Path(path).resolve().as_uri() + (f"#{fragment}" if fragment else "")
            picture(address, STATIC / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
