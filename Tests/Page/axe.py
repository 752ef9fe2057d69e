"""Finds accessibility problems with axe-core, in every view of the live page and in a report, wide and narrow, light
and dark. Called by page.sh, once there are loads.

usage: axe.py PAGE_URL AXE_JS PICTURES_FOLDER REPORT_HTML [VIEW]

With VIEW, only that view of the page, and no report.
AXE_JS: axe.min.js, which `.ci/install.sh peers` fetches. Prints a line for each view. Exit: 0, or 1 if axe found
something.
"""
import asyncio
import pathlib
import sys
import urllib.parse

from browser import Browser

page, axe, pictures, report = sys.argv[1:5]
only = sys.argv[5:]
source = open(axe, encoding="utf-8").read()
root = "http://" + urllib.parse.urlsplit(page).netloc
views = {
    "by-host": "/", "latest": "/?list=latest", "timeline": "/?list=timeline", "nothing-found": "/?search=nothing.of.that",
    "dictionary": "/?view=dictionary", "whatif": "/?view=whatif", "recordings": "/?view=recordings", "devices": "/?view=devices",
}
ready = {
    "by-host": ".groups .row[tabindex]", "latest": ".latest .row[tabindex]", "timeline": ".timeline rect", "nothing-found": ".empty:not([hidden]) button",
    "fleet": ".gates .row[tabindex]", "dictionary": "pre.source", "whatif": "textarea", "recordings": ".runs .formats summary", "devices": "main .wide",
}
findings = []


async def audit(tab, name):
    # In an isolated world, because the page's own policy forbids turning text into script.
    frame = (await tab.call("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = (await tab.call("Page.createIsolatedWorld", frameId=frame, worldName="axe"))["executionContextId"]
    await tab.call("Runtime.evaluate", expression=source, contextId=world)
    answer = await tab.call(
        "Runtime.evaluate", contextId=world, awaitPromise=True, returnByValue=True,
        expression="axe.run().then((found) => found.violations.map((one) => one.id + ' (' + one.impact + '): ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')))")
    if "exceptionDetails" in answer:
        sys.exit(f"MISSING  axe on {name}: {answer['exceptionDetails']}")
    found = answer["result"]["value"]
    findings.extend(f"{name}: {one}" for one in found)
    print(f"{'ok      ' if not found else 'FOUND   '} axe on {name}" + "".join(f"\n         {one}" for one in found), flush=True)


def end():
    if findings:
        sys.exit(f"MISSING  {len(findings)} findings of axe-core")


async def each(tab, name, look):
    for width, height in [(1400, 900), (390, 844)]:
        await tab.size(width, height)
        for dark in [False, True]:
            await tab.dark(dark)
            await look(f"{name}-{width}-{'dark' if dark else 'light'}")


async def main():
    async with Browser() as tab:
        await tab.open(page)

        async def shot(name):
            await asyncio.sleep(0.2)
            await audit(tab, name)
            await tab.picture(f"{pictures}/{name}.png")

        for name, address in {name: f"/?view={name}" for name in only}.items() or views.items():
            await tab.size(1400, 900)
            await tab.open(root + address)
            await tab.wait(f"document.querySelector('{ready[name]}')?.checkVisibility()", name)
            await each(tab, name, shot)
        if only:
            return end()
        await tab.size(1400, 900)
        await tab.open(root + "/")
        await tab.wait(f"document.querySelector('{ready['by-host']}')", "loads")
        await tab.run("document.querySelector('.groups .row[tabindex]').click()")
        await tab.wait("document.querySelector('article.load')", "a load")
        await each(tab, "detail", shot)
        await tab.open(pathlib.Path(report).resolve().as_uri())
        await each(tab, "report", shot)
    end()


asyncio.run(main())
