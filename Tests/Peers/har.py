"""Imports a HAR into the network panel of Chromium's own developer tools, which the browser serves itself. Every entry
must be a row; a blocked load shows its rule as its status, and an allowed one its own status.

usage: har.py PORT-FILE HAR [FOLDER FOR PICTURES]
"""

import asyncio
import base64
import json
import sys

import websockets

from page import Tab, address_of_a_tab, stop

# The panel's own view. Its modules are those of the page, so this is the visible panel.
VIEW = "(await import('./panels/network/network.js')).NetworkPanel.NetworkPanel.instance().networkLogView"
IMPORT = """
(async () => {
  const text = %s;
  await (await import('./ui/legacy/legacy.js')).ViewManager.ViewManager.instance().showView('network');
  const view = """ + VIEW + """;
  await view.onLoadFromFile(new File([text], 'report.har'));
})()
"""
ROWS = """
(async () => {
  const view = """ + VIEW + """;
  return view.flatNodesList().map(node => node.request()).filter(Boolean).map(request => ({
    url: request.url(), status: request.statusCode,
    shown: view.nodeForRequest(request).element().querySelector('.status-column').textContent }));
})()
"""


async def main():
    port_file, path, *pictures = sys.argv[1:]
    text = open(path).read()
    entries = json.loads(text)["log"]["entries"]
    port = open(port_file).readline().strip()
    async with websockets.connect(address_of_a_tab(port_file), max_size=None) as socket:
        tab = Tab(socket)
        for domain in ("Page", "Runtime"):
            await tab.do(f"{domain}.enable")
        # The tab that the tools inspect: another, empty one.
        other = (await tab.do("Target.createTarget", url="about:blank"))["targetId"]
        await tab.do("Page.bringToFront")
        await tab.do("Emulation.setDeviceMetricsOverride", width=1200, height=800, deviceScaleFactor=1, mobile=False)
        tools = f"http://127.0.0.1:{port}/devtools/devtools_app.html"
        await tab.do("Page.navigate", url=f"{tools}?ws=127.0.0.1:{port}/devtools/page/{other}")
        for _ in range(300):
            if await tab.value("document.readyState === 'complete' && Boolean(document.querySelector('.root-view'))"):
                break
            await asyncio.sleep(0.1)
        else:
            stop("the developer tools")
        await tab.value(IMPORT % json.dumps(text))
        rows = []
        for _ in range(300):
            rows = await tab.value(ROWS)
            if len(rows) >= len(entries):
                break
            await asyncio.sleep(0.1)
        if len(rows) != len(entries):
            stop(f"{len(entries)} entries as rows of the network panel: there are {len(rows)}")
        print(f"ok       the network panel has a row for each of {len(rows)} entries")
        blocked = next(entry for entry in entries if entry["_ats"]["verdict"] == "blocked")
        rule = blocked["response"]["_error"]
        row = next(row for row in rows if row["url"] == blocked["request"]["url"])
        if row["status"] != 0 or rule not in row["shown"]:
            stop(f"a load that was refused, with {rule} for a status: {row}")
        print(f"ok       a load that was refused has its rule for a status: {rule}")
        passed = next(entry for entry in entries if entry["response"]["status"] == 200)
        row = next(row for row in rows if row["url"] == passed["request"]["url"])
        if row["status"] != 200:
            stop(f"a load that passed, with its status: {row}")
        print("ok       an allowed load shows its status")
        if pictures and pictures[0]:
            shot = await tab.do("Page.captureScreenshot")
            with open(f"{pictures[0]}/network-panel.png", "wb") as file:
                file.write(base64.b64decode(shot["data"]))
        await tab.do("Target.closeTarget", targetId=other)
        await tab.do("Page.navigate", url="about:blank")


asyncio.run(main())
