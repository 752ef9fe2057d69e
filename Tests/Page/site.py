#!/usr/bin/env python3
"""Checks the site's articles and its start page in a headless Chromium that is as wide as a phone.

  site.py HTML_FOLDER

A page must not scroll sideways, and no part of its content may either, folded parts included. The search must find the
page of a pasted line. Exit: 0, or 1 with what is wrong.
"""
import asyncio
import functools
import glob
import http.server
import os
import sys
import threading

from browser import Browser

WIDTH, HEIGHT = 390, 844
# The parts of the content that are wider than their place, with folded parts open.
WIDE = """(() => {
  document.querySelectorAll("details").forEach((part) => part.open = true);
  const content = [...document.querySelectorAll(".md-content, .md-content *")];
  const isBox = (part) => getComputedStyle(part).display !== "inline" && !part.matches(".md-annotation, .headerlink, svg *");
  return [[document.documentElement, ...content].filter((part) => isBox(part) && part.scrollWidth > part.clientWidth + 1)
    .map((part) => `${part.tagName} ${part.className}: ${part.scrollWidth} > ${part.clientWidth}`),
    document.documentElement.scrollWidth, document.querySelectorAll(".md-content h1").length];
})()"""
# Pasted text, and the page that the search must offer first.
PASTED = {
    "-9802": "codes/9802.html",
    "1022": "codes/1022.html",
    "3:-9858": "codes/9858.html",
    "errSSLPeerHandshakeFail": "codes/9824.html",
    "trust.expired": "rules/trust.expired.html",
    "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9816)": "codes/9816.html",
    "Task <A>.<1> finished with error [-1200] … UserInfo={_kCFStreamErrorCodeKey=-9802}": "codes/9802.html",
    "App Transport Security has blocked a cleartext HTTP connection to a.test since it is insecure.": "codes/1022.html",
    "self-signed": "rules/trust.self-signed.html",
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


async def check(folder, address):
    pages = sorted(os.path.relpath(path, folder) for kind in ("codes", "rules") for path in glob.glob(f"{folder}/{kind}/*.html"))
    assert len(pages) > 100, f"only {len(pages)} articles"
    wrong = []
    async with Browser() as tab:
        await tab.size(WIDTH, HEIGHT)
        for page in ["index.html", *pages]:
            await tab.open(f"{address}/{page}")
            wide, width, headings = await tab.run(WIDE)
            if wide or width > WIDTH or headings != 1:
                wrong.append(f"{page}: {width} pixels, {headings} headings, {wide[:4]}")
        await tab.open(f"{address}/index.html")
        for text, page in PASTED.items():
            await tab.run(f"""(() => {{ const field = document.querySelector("#question");
                field.value = {text!r}; field.dispatchEvent(new Event("input")); }})()""")
            found = await tab.run("document.querySelector('#answers a')?.getAttribute('href')")
            if found != page:
                wrong.append(f"search for {text}: {found}, not {page}")
        await tab.run("document.querySelector('#question').focus()")
        await tab.press("Enter")
        await tab.wait(f"location.pathname.endsWith('{page}')", f"Enter opens {page}")
        wrong += [f"the browser reports: {message}" for message in tab.messages]
    if wrong:
        sys.exit("WRONG  " + "\nWRONG  ".join(wrong))
    print(f"ok  {len(pages) + 1} pages at {WIDTH} pixels, {len(PASTED)} pasted texts")


def main():
    folder = sys.argv[1]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        asyncio.run(check(folder, f"http://127.0.0.1:{server.server_port}"))
        server.shutdown()


main()
