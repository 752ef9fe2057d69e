"""Takes the README's picture of the live page, or checks that the existing one still matches the page.

usage: picture.py GATE [record]

Runs `GATE demo` on a terminal, opens its page in a headless Chromium, and selects one blocked load. With `record` it
writes docs/images/page.png and the page's text in page.txt. Otherwise it compares the text; numbers may differ, because
ports, times and counts do. Exit: 0, or 1 with the differences.
"""
import asyncio
import difflib
import os
import pty
import re
import select
import signal
import sys
import time

from browser import Browser

gate, record = sys.argv[1], sys.argv[2:] == ["record"]
picture = "docs/images/page.png"
words_file = "docs/images/page.txt"
deadline_seconds = 60


def start():
    """The demo, and the address of its page."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["NO_COLOR"] = "1"
        os.execv(gate, [gate, "demo"])
    said, end = "", time.monotonic() + deadline_seconds
    while "Control-C" not in said and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            said += os.read(terminal, 65536).decode(errors="replace")
    address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+", said)
    if not address:
        sys.exit(f"MISSING  the demo's page: {said[-500:]}")
    return child, address.group()


async def look(address):
    async with Browser() as tab:
        await tab.size(1400, 860)
        await tab.open(address)
        row = "[...document.querySelectorAll('.groups .row[tabindex]')].find(row => row.innerText.includes('ats.forward-secrecy'))"
        await tab.wait(row, "the row of the load without forward secrecy")
        await tab.run(row + ".click()")
        await tab.wait("document.querySelector('article.load .picture')", "the detail")
        if record:
            await tab.picture(picture)
        return await tab.run("document.body.innerText")


def usual(words):
    """The text without values that change between runs: every word with a digit, such as times, and units."""
    plain = (re.sub(r"\b0\)? (ms|s|B|kB|MB)\b", "0", re.sub(r"\S*\d\S*", "0", line)) for line in words.splitlines())
    return [line.strip() for line in plain if line.strip()]


child, address = start()
try:
    lines = usual(asyncio.run(look(address)))
finally:
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
if record:
    with open(words_file, "w") as file:
        file.write("\n".join(lines) + "\n")
    sys.exit(0)
with open(words_file) as file:
    told = file.read().splitlines()
difference = list(difflib.unified_diff(told, lines, words_file, "the page", lineterm="", n=0))
if difference:
    print("\n".join(difference))
    sys.exit("MISSING  the README's picture matches the page: Tests/Page/picture.sh record takes a new one")
print("ok       the README's picture matches the page")
