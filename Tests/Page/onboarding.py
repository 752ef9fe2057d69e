"""Opens the onboarding page of a gate in headless Chromiums with more and more setup. Called by onboarding.sh.

usage: onboarding.py PORT APPLE_PORT CA_PEM PICTURES_FOLDER

APPLE_PORT: of a gate that also passes through Apple's own services for this machine.

Prints a line for each check that passes. Exit: 0, or 1 at the first that fails.
"""
import asyncio
import base64
import plistlib
import sys
import urllib.request

import pacparser
from browser import Browser

port, apple_port, authority, pictures = sys.argv[1:5]
direct = f"http://127.0.0.1:{port}/"
proxy = f"--proxy-server=http://127.0.0.1:{port}"
lights = "Object.fromEntries([...document.querySelectorAll('.lights li')].map((row) => [row.id, row.dataset.state]))"


def holds(fact, words):
    if not fact:
        sys.exit(f"MISSING  {words}")
    print(f"ok       {words}", flush=True)


def directs(script, cases):
    """Runs a PAC file for pairs of a URL and the expected answer."""
    pacparser.parse_pac_string(script.decode())
    for url, wanted in cases:
        found = pacparser.find_proxy(url, url.split("/")[2].split(":")[0])
        if found != wanted:
            sys.exit(f"MISSING  {url}: {found} instead of {wanted}")


def fetch(name, gate=direct):
    with urllib.request.urlopen(gate + name) as answer:
        return answer.headers["Content-Type"], answer.read()


async def rounds(tab):
    """Waits until the page has fetched its lights twice more."""
    await tab.run("""new Promise((done) => {
        let left = 2;
        new PerformanceObserver((list) => {
            left -= list.getEntries().filter((entry) => entry.name.includes('lights.json')).length;
            if (left <= 0) done(true);
        }).observe({ type: 'resource' });
    })""")


async def whole(tab, name):
    """The page as a phone shows it, from top to bottom, light and dark."""
    await tab.size(390, 844)
    height = await tab.run("document.documentElement.scrollHeight")
    holds(await tab.run("document.documentElement.scrollWidth") <= 390, f"{name}: nothing is wider than a phone")
    await tab.size(390, height)
    for is_dark in [False, True]:
        await tab.dark(is_dark)
        await tab.picture(f"{pictures}/onboarding-{name}-390-{'dark' if is_dark else 'light'}.png")
    await tab.dark(False)


async def seen(tab, expected, words):
    await rounds(tab)
    found = await tab.run(lights)
    wanted = dict(zip(["reached", "through", "installed", "trusted", "relaxed", "apps"], expected.split() + ["off"] * 2))
    if found != wanted:
        sys.exit(f"MISSING  {words}: {found} instead of {wanted}")
    holds(not [line for line in tab.messages if "Content Security Policy" in line], words)


async def main():
    async with Browser() as tab:
        await tab.open(direct)
        await seen(tab, "on off off off", "no proxy: only reached")
        await whole(tab, "reached")
    async with Browser(proxy) as tab:
        await tab.open(direct)
        await seen(tab, "on on off off", "a proxy and no CA: the proxy is detected through the gate's own address")
        await tab.open("http://atsgate.test/")
        await seen(tab, "on on off off", "the same through the name that only the gate resolves")
        await tab.run("fetch('/atsgate-ca.mobileconfig').then((answer) => answer.text())")
        await seen(tab, "on on half off", "the profile was fetched, which is not enough")
        await whole(tab, "fetched")
        await tab.open("http://atsgate.test/?system=ios")
        await whole(tab, "ios")
    async with Browser(proxy, authority=authority) as tab:
        await tab.open(direct)
        await seen(tab, "on on on on", "a proxy and the CA: all four lights of the setup")
        await whole(tab, "trusted")
        await tab.call("Emulation.setScriptExecutionDisabled", value=True)
        await tab.open("http://atsgate.test/?system=macos")
        pictures_seen = await tab.run("[...document.querySelectorAll('.dot img')].map((p) => p.naturalWidth > 0)")
        holds(pictures_seen == [True] * 4, "without a script, its pictures show the same")
        await tab.call("Emulation.setScriptExecutionDisabled", value=False)
        await tab.open("https://atsgate.test/")
        await seen(tab, "on on on on", "the page itself is served over TLS, under the CA")

    kind, profile = fetch("atsgate-ca.mobileconfig")
    payload = plistlib.loads(profile)["PayloadContent"][0]
    pem = open(authority).read().split("-----")[2]
    holds(kind == "application/x-apple-aspen-config", "the profile has Apple's type")
    holds(payload["PayloadType"] == "com.apple.security.root", "it is a root certificate")
    holds(payload["PayloadContent"] == base64.b64decode(pem), "it is this gate's CA")

    kind, script = fetch("proxy.pac")
    holds(kind == "application/x-ns-proxy-autoconfig", "the PAC file has its type")
    pacparser.init()
    gate = f"PROXY 127.0.0.1:{port}"
    directs(script, [
        ("http://example.com/", gate), ("https://EXAMPLE.com/a?b", gate), ("https://192.168.1.9/", gate),
        ("http://atsgate.test/", gate), ("wss://example.com/", gate), ("ftp://example.com/", "DIRECT"),
        ("http://localhost:8080/", "DIRECT"), ("https://pinned.test/", "DIRECT"), ("https://a.pinned.test/", gate),
        ("https://www.apple.test/", "DIRECT"), ("https://apple.test/", gate), ("https://notapple.test/", gate),
        ("http://pinned.test/", gate), ("ws://www.apple.test/", gate), ("https://gs.apple.com/", gate),
    ])
    holds(True, "the PAC file sends through the gate what it can judge, and nothing else")
    kind, script = fetch("proxy.pac", f"http://127.0.0.1:{apple_port}/")
    gate = f"PROXY 127.0.0.1:{apple_port}"
    directs(script, [
        ("https://example.com/", gate), ("https://1-courier.push.apple.com/", "DIRECT"), ("http://ocsp.apple.com/", gate),
        ("https://gs.apple.com/", "DIRECT"), ("https://www.apple.com/", "DIRECT"),
        ("https://store.example.com/", gate), ("https://gs.apple.com.example.com/", gate),
        ("https://notmzstatic.com/", gate), ("https://is1-ssl.mzstatic.com/", "DIRECT"),
    ])
    holds(True, "if Apple's own services are passed through, their TLS connects directly")


asyncio.run(main())
