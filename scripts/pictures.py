"""Make the pictures of the README and the documentation from a real run of the example.

Runs ``stagelight run examples/digits/train.py`` in a terminal of its own, puts what it printed into the README and into
a picture, writes the page of the same ledger, and photographs it in Chromium in both themes and two widths.

    python scripts/pictures.py
"""

import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
BUILD = ROOT / "build"
PROGRAM = "examples/digits/train.py"
COLUMNS, ROWS = 110, 50
CHROMIUM = shutil.which("chromium")


def run_in_terminal(command: list[str]) -> str:
    """What a command prints to a terminal of ``COLUMNS`` columns, with its colours."""
    parent, child = pty.openpty()
    ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = dict(os.environ, TERM="xterm-256color", JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    environment["PYTHONPATH"] = str(ROOT / "src")
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=child, stdout=child, stderr=child)
    os.close(child)
    printed = b""
    while True:
        select.select([parent], [], [])
        try:
            chunk = os.read(parent, 65536)
        except OSError:  # Linux: the last writer has closed its end.
            break
        if not chunk:
            break
        printed += chunk
    os.close(parent)
    if process.wait():
        sys.exit(f"{' '.join(command)} failed:\n{printed.decode()}")
    return printed.decode().replace("\r\n", "\n")


def terminal_picture(text: str, path: Path) -> None:
    """Write coloured terminal text as an SVG that loads nothing from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)
    console.print(Text.from_ansi(text))
    picture = console.export_svg(title="Stagelight")
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


def put_into_readme(text: str) -> None:
    """Replace the block of the README that shows what the run printed."""
    readme = ROOT / "README.md"
    block = f"<!-- the run -->\n\n```console\n{text.strip()}\n```\n\n<!-- end of the run -->"
    pattern = r"<!-- the run -->.*<!-- end of the run -->"
    readme.write_text(re.sub(pattern, lambda _: block, readme.read_text(), flags=re.DOTALL))


def page_pictures(page_file: Path) -> None:
    """Photograph the page in both themes at 1280 pixels, and at 390 pixels as on a telephone."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        for name, theme, width, height in (
            ("page-light", "light", 1280, 1000),
            ("page-dark", "dark", 1280, 1000),
            ("page-narrow", "light", 390, 844),
        ):
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(page_file.as_uri())
            page.screenshot(path=PICTURES / f"{name}.png")
            page.close()
        browser.close()


def main() -> None:
    """Run the example once and write all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    BUILD.mkdir(exist_ok=True)
    stagelight = [sys.executable, "-m", "stagelight"]
    printed = run_in_terminal([*stagelight, "run", "-f", "-o", "build/digits.jsonl", PROGRAM])
    command = f"$ stagelight run -o build/digits.jsonl {PROGRAM}\n"
    put_into_readme(command + Text.from_ansi(printed).plain)
    terminal_picture(command + printed, PICTURES / "run.svg")
    run_in_terminal([*stagelight, "report", "build/digits.jsonl", "-f", "-o", "build/digits.html", "--format", "html"])
    page_pictures(BUILD / "digits.html")


if __name__ == "__main__":
    main()
