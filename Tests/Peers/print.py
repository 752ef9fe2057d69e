"""Prints an HTML report from a browser and checks the pages: light with any screen, no card split that fits on a page
(but the first, which follows the table), no heading alone at the end of a page, and the pictures and logs of cards are
left out.

usage: print.py PORT-FILE REPORT [FOLDER FOR PICTURES]
"""

import asyncio
import base64
import re
import subprocess
import sys
import tempfile

import websockets

from page import Tab, address_of_a_tab, stop

# A4 without margins of half an inch, in CSS pixels.
WIDTH, HEIGHT = 698, 1027
# Marks in the page: the begin and end of cards, folded parts, and the text after a heading.
MARK = """
(() => {
  const mark = (node, words, style, where = "append") => {
    const span = document.createElement("span");
    span.style = "font-size:1px;line-height:0;" + style; span.textContent = " " + words + " "; node[where](span);
  };
  const cards = [...document.querySelectorAll(".card")];
  cards.forEach((card, n) => { card.style.position = "relative"; mark(card.querySelector("h3"), `cardbegin${n}x`, "");
    mark(card, `cardend${n}x`, "position:absolute;bottom:2px;left:2px") });
  const folded = [...document.querySelectorAll(".card > details")];
  folded.forEach((part, n) => mark(part.lastElementChild, `folded${n}x`, ""));
  const headings = [...document.querySelectorAll("h2")];
  headings.forEach((heading, n) => {
    mark(heading, `heading${n}x`, "");
    mark(heading.nextElementSibling.matches(".card") ? heading.nextElementSibling.querySelector("h3")
      : heading.nextElementSibling, `under${n}x`, "", "prepend") });
  return { cards: cards.map(card => card.getBoundingClientRect().height), folded: folded.length,
    headings: headings.length };
})()
"""


def place(pages, word):
    """The page that contains a word."""
    for number, text in enumerate(pages):
        if word in text:
            return number
    stop(f"{word} on a printed page")


def brightness(path, number):
    """The brightness of a page, from 0 to 1."""
    grey = subprocess.run(
        ["pdftoppm", "-gray", "-r", "20", "-f", str(number), "-l", str(number), path], capture_output=True, check=True).stdout
    points = re.match(rb"P5\s+\d+\s+\d+\s+255\s", grey)
    values = grey[points.end():]
    return sum(values) / len(values) / 255


async def main():
    port_file, report, *pictures = sys.argv[1:]
    async with websockets.connect(address_of_a_tab(port_file), max_size=None) as socket:
        tab = Tab(socket)
        for domain in ("Page", "Runtime"):
            await tab.do(f"{domain}.enable")
        await tab.open(report)
        # With the height that they have on paper.
        await tab.do("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        await tab.do("Emulation.setEmulatedMedia", media="print", features=dark)
        marked = await tab.value(MARK)
        await tab.do("Emulation.setEmulatedMedia", media="", features=dark)
        await tab.do("Emulation.clearDeviceMetricsOverride")
        printed = await tab.do(
            "Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69, marginTop=0.5, marginBottom=0.5,
            marginLeft=0.5, marginRight=0.5)
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(base64.b64decode(printed["data"]))
        file.flush()
        if pictures and pictures[0]:
            subprocess.run(["pdftoppm", "-png", "-r", "60", file.name, f"{pictures[0]}/print"], check=True)
        text = subprocess.run(["pdftotext", "-raw", file.name, "-"], capture_output=True, check=True, text=True).stdout
        pages = text.split("\f")[:-1]
        cut = 0
        for number, height in enumerate(marked["cards"]):
            begin, end = place(pages, f"cardbegin{number}x"), place(pages, f"cardend{number}x")
            if number and begin != end and height < HEIGHT:
                stop(f"card {number}, {height:.0f} px tall, whole on one page: it is on {begin + 1} to {end + 1}")
            cut += begin != end
        print(f"ok       {len(marked['cards'])} cards on {len(pages)} pages, {cut} of them split: the first, or taller than a page")
        if not marked["folded"]:
            stop("a card with a folded part, to check that it is not printed")
        for number in range(marked["folded"]):
            if any(f"folded{number}x" in text for text in pages):
                stop(f"the folded part of card {number} left out on paper")
        print(f"ok       {marked['folded']} pictures and logs are left out on paper")
        for number in range(marked["headings"]):
            heading, under = place(pages, f"heading{number}x"), place(pages, f"under{number}x")
            if heading != under:
                stop(f"what follows a heading, on its page {heading + 1}: it is on {under + 1}")
        print("ok       no heading ends a page")
        darkest = min(brightness(file.name, number + 1) for number in range(len(pages)))
        if darkest < 0.75:
            stop(f"light pages for a dark screen: one is {darkest:.2f} bright")
        print(f"ok       every page is light, although the screen is dark: {darkest:.2f} and brighter")


asyncio.run(main())
