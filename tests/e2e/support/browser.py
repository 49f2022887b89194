"""Opens pages in a browser, and says what it drew, what went wrong, and what it asked for.

Needs Chromium (Debian: `apt-get install chromium`), whose name may be in `HWC_CHROMIUM`.
"""

import json
import os
import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which(os.environ.get("HWC_CHROMIUM", "chromium"))

needs_browser = pytest.mark.skipif(
    CHROMIUM is None,
    reason="Chromium is not installed (Debian: apt-get install chromium): pages are not opened",
)


class Opened:
    """A page that a browser has opened: its elements, what it said, and what it asked for."""

    def __init__(self, page, folder, *options, fragment=""):
        log = folder / "net.json"
        done = subprocess.run(
            [
                *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu"),
                *("--disable-background-networking", "--disable-component-update"),
                *(f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}"),
                *("--enable-logging=stderr", "--allow-file-access-from-files"),
                *("--virtual-time-budget=10000", "--dump-dom", *options, page.as_uri() + fragment),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        self.dom = done.stdout
        self.console = re.findall(r"CONSOLE.*", done.stderr)
        self.urls = _requests(log)

    def plots(self):
        """The plots with something drawn, by id, each with the number of its points and bars."""
        found = {}
        parts = re.split(r'<div class="plot[^"]*" id="([\w-]+)"', self.dom)
        for name, part in zip(parts[1::2], parts[2::2], strict=True):
            found[name] = len(re.findall(r'class="point[ "]', part))
        return found


def _requests(log):
    """The addresses that pages asked for; the browser's own services are not theirs."""
    value = json.loads(log.read_text())
    kind = value["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    events = [event["params"] for event in value["events"] if event["type"] == kind]
    return {
        event["url"]
        for event in events
        if "url" in event and event.get("initiator", "not an origin") != "not an origin"
    }
