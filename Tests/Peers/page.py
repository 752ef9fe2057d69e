"""Opens HTML reports in a browser and checks them: every part has a name, all text is readable, in light and dark, on a
phone and by keyboard, and nothing foreign runs.

usage: page.py PORT-FILE REPORT HOSTILE-REPORT [FOLDER FOR PICTURES]
"""

import asyncio
import base64
import json
import os
import sys
import urllib.request

import websockets

# Checks the page from the inside; returns sentences about problems.
LOOK = r"""
(() => {
  const wrong = [], seen = new Set();
  const say = (words, node) => wrong.push(words + ": " + node.outerHTML.slice(0, 120));
  const number = text => text.match(/[\d.]+/g).map(Number);
  const light = c => c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = node => {
    for (; node; node = node.parentElement) {
      const c = number(getComputedStyle(node).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement, style = getComputedStyle(node);
    if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE", "title"].includes(node.tagName)) continue;
    const colour = number(node.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(colour), light(ground(node))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) say("contrast " + ((a + .05) / (b + .05)).toFixed(2), node);
  }
  const name = node => (node.getAttribute("aria-label") || (node.getAttribute("aria-labelledby") || "").split(" ")
    .map(id => (document.getElementById(id) || {}).textContent || "").join(" ") || node.textContent).trim();
  for (const node of document.querySelectorAll("svg")) {
    if (node.getAttribute("role") !== "img" || !node.getAttribute("aria-label")) say("a picture without words", node);
  }
  for (const node of document.querySelectorAll("button,a,summary,section,article,nav,[role=region]")) {
    if (!name(node)) say("no name", node);
  }
  for (const node of document.querySelectorAll("th")) if (!node.scope) say("no scope", node);
  for (const node of document.querySelectorAll("button")) {
    if (node.hidden) say("a button that does nothing yet", node);
    if (node.getBoundingClientRect().height < 44) say("a button too small for a finger", node);
  }
  for (const node of document.querySelectorAll("[id]")) {
    if (seen.has(node.id)) say("an id twice", node);
    seen.add(node.id);
  }
  for (const node of document.querySelectorAll("nav a")) {
    if (!document.getElementById(node.hash.slice(1))) say("leads nowhere", node);
  }
  let level = 0;
  for (const node of document.querySelectorAll("h1,h2,h3,h4")) {
    if (+node.tagName[1] > level + 1) say("a heading that skips a level", node);
    level = +node.tagName[1];
  }
  const extra = document.documentElement.scrollWidth - innerWidth;
  if (extra > 0) wrong.push("wider than the window by " + extra);
  if (!document.documentElement.lang || !document.title) wrong.push("no language or title");
  if (window.taken) wrong.push("foreign script ran");
  return wrong;
})()
"""
# The expected number of tab stops.
STOPS = """[...document.querySelectorAll("a,button,summary,[tabindex='0']")]
  .filter(n => n.offsetParent && (n.tagName === "SUMMARY" || !n.closest("details:not([open])"))).length"""
COPY = """new Promise(done => { const b = document.querySelector("button"); b.click();
  setTimeout(() => done(b.textContent), 300) })"""


def stop(words):
    print(f"MISSING  {words}")
    sys.exit(1)


def address_of_a_tab(port_file):
    """The address that controls a browser's first tab; the browser has written its port into the file."""
    port = open(port_file).readline().strip()
    tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list"))
    return next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")


class Tab:
    """One tab of the browser."""

    def __init__(self, socket):
        self.socket, self.number, self.asked = socket, 0, []

    async def do(self, method, **values):
        self.number += 1
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": values}))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), 30))
            if answer.get("method") == "Network.requestWillBeSent":
                self.asked.append(answer["params"]["request"]["url"])
            if answer.get("id") == self.number:
                if "error" in answer:
                    stop(f"{method}: {answer['error']}")
                return answer["result"]

    async def value(self, expression):
        result = await self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            stop(f"{result['exceptionDetails']}")
        return result["result"].get("value")

    async def open(self, path):
        self.asked = []
        await self.do("Page.navigate", url="file://" + path)
        while await self.value("document.readyState") != "complete":
            await asyncio.sleep(0.05)

    async def picture(self, path):
        size = (await self.do("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12_000), "scale": 1}
        shot = await self.do("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))


async def look(tab, name, path, pictures):
    await tab.open(path)
    for width, scheme in [(1200, "light"), (390, "light"), (1200, "dark"), (390, "dark")]:
        await tab.do("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        await tab.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        wrong = await tab.value(LOOK)
        if wrong:
            stop(f"{name} at {width} px, {scheme}: {len(wrong)} times, for example {wrong[:3]}")
        if pictures:
            await tab.picture(f"{pictures}/{name}-{width}-{scheme}.png")
    print(f"ok       {name}: contrast, names, headings, no overflow; at 1200 and 390 px, light and dark")
    asked = [url for url in tab.asked if not url.startswith("file://" + path)]
    if asked:
        stop(f"{name} asked for {asked[:3]}")
    print(f"ok       {name} sent no requests")


async def keys(tab, path):
    await tab.open(path)
    wanted = await tab.value(STOPS)
    stops = await tab.value("window.stops = new Set(); 0")
    for _ in range(wanted + 2):
        for kind in ("keyDown", "keyUp"):
            await tab.do("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        await tab.value(
            "(() => { const n = document.activeElement; if (n !== document.body && getComputedStyle(n).outlineStyle"
            " !== 'none') stops.add(n) })()")
    stops = await tab.value("stops.size")
    if stops < wanted:
        stop(f"the tab key finds {stops} of {wanted}")
    print(f"ok       the tab key reaches all {wanted} links, buttons and regions, and each shows its focus")
    if await tab.value(COPY) not in ("Copied", "Selected"):
        stop("a copy button that works")
    print("ok       a copy button copies: the page's policy allows its one script")


async def main():
    port_file, report, hostile, *pictures = sys.argv[1:]
    pictures = pictures[0] if pictures else ""
    if pictures:
        os.makedirs(pictures, exist_ok=True)
    async with websockets.connect(address_of_a_tab(port_file), max_size=None) as socket:
        tab = Tab(socket)
        for domain in ("Page", "Runtime", "Network"):
            await tab.do(f"{domain}.enable")
        await look(tab, "report", report, pictures)
        await keys(tab, report)
        await look(tab, "hostile", hostile, pictures)
        print("ok       foreign text stayed text")


if __name__ == "__main__":
    asyncio.run(main())
