"""Pictures of the pages of `hwc report`, for docs/report.md.

    python tests/bench/report_pictures.py    # docs/reports/report_*.png, in Debian's chromium

The program is docs/examples/gated.mlir, on two targets.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "docs/examples/gated.mlir"
SHAPES = ("--shape", "24x768", "--shape", "1x768", "--shape", "24x1")
COLORS = 200
"""Colours of a picture: the pages have few, and the files stay small."""

PAGES = (
    # The picture, the page, width and height in CSS pixels, the colour scheme, and the section.
    ("report_light", "report.html", 1100, 1560, 1, ""),
    ("report_dark", "report.html", 1100, 1500, 0, "#timeline"),
    ("report_phone", "report.html", 390, 1500, 1, "#roofline"),
    ("report_compare", "compare.html", 1100, 1300, 1, ""),
)


def hwc(*arguments: str) -> str:
    """Run a command of hwc in the checkout and return what it prints."""
    command = [sys.executable, "-m", "hwc", *arguments]
    return subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout


def write_pages(folder: Path) -> None:
    """Write the two pages, and what they are made of, into a folder."""
    hwc("report", PROGRAM, *SHAPES, "-o", str(folder / "report.html"))
    files = []
    for target in ("accel", "wide"):
        path = folder / f"{target}.json"
        path.write_text(hwc("time", PROGRAM, "-t", target, *SHAPES, "--json"))
        files.append(str(path))
    hwc("report", "--compare", *files, "-o", str(folder / "compare.html"))
    # The names of the files are on the page: those of this folder say nothing.
    page = folder / "compare.html"
    page.write_text(page.read_text().replace(f"{folder}/", ""))


def screenshot(page: str, width: int, height: int, scheme: int, output: Path) -> None:
    """Write a picture of a page; a frame gives it the width, which a window may not have."""
    folder = output.parent
    frame = folder / "frame.html"
    frame.write_text(
        f'<body style="margin:0"><iframe src="{page}" '
        f'style="border:0;width:{width}px;height:{height}px"></iframe>'
    )
    command = [
        *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *("--disable-background-networking", f"--user-data-dir={folder / 'profile'}"),
        *(f"--window-size={max(width, 500)},{height}", "--virtual-time-budget=10000"),
        *(f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={output}"),
        frame.as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True)
    picture = Image.open(output).convert("RGB").crop((0, 0, width, height))
    few = picture.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(output, optimize=True)


def main() -> int:
    """Write the pictures."""
    if shutil.which("chromium") is None:
        sys.exit("error: the pictures need chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(folder)
        for picture, page, width, height, scheme, section in PAGES:
            output = folder / f"{picture}.png"
            screenshot(page + section, width, height, scheme, output)
            shutil.copy(output, ROOT / "docs/reports" / output.name)
            print(f"docs/reports/{output.name}: {output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
