"""Measures an HTML report in Chromium: `report.py FILE PICTURES HOSTS`. Exit: 1 if a measure is too large."""
import asyncio
import base64
import pathlib
import re
import sys

from browser import Browser

file, pictures, hosts = sys.argv[1:]
# The first screen of a small laptop.
WIDTH, HEIGHT = 1280, 900
# Millimetres of A4, as inches.
PAPER = {"paperWidth": 8.27, "paperHeight": 11.69}
MOST_PAGES = 6


async def main():
    async with Browser() as tab:
        await tab.size(WIDTH, HEIGHT)
        await tab.open(pathlib.Path(file).resolve().as_uri())
        bottom = await tab.run("Math.round(document.querySelector('table.problems').getBoundingClientRect().bottom)")
        named = await tab.run("document.querySelector('table.problems').textContent.match(/[a-z0-9-]+\\.lab\\.test/g).length")
        await tab.picture(f"{pictures}/report-first-screen.png")
        paper = base64.b64decode((await tab.call("Page.printToPDF", **PAPER))["data"])
        pages = len(re.findall(rb"/Type\s*/Page\b", paper))
        measures = [("bottom of the table", bottom, HEIGHT), ("A4 pages", pages, MOST_PAGES)]
        for name, value, most in measures:
            print(f"{'ok      ' if value <= most else 'TOO MANY'} {name}: {value}, at most {most}")
        if named < int(hosts):
            sys.exit(f"MISSING  the table names {named} of {hosts} hosts")
        if tab.messages or any(value > most for _, value, most in measures) or pages == 0:
            sys.exit(f"MISSING  {tab.messages or 'a measure is too large'}")


asyncio.run(main())
