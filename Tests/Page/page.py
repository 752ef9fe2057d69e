"""Drives the live page of a gate in a headless Chromium or Firefox. Called by page.sh.

usage: page.py BROWSER PAGE_URL PROXY_PORT CA_PEM PICTURES_FOLDER POLICY_FILE

BROWSER is chromium or firefox.

Prints a line for each check that passes. Exit: 0, or 1 at the first that fails.
"""
import asyncio
import subprocess
import sys

from browser import Browser
from firefox import Firefox

browser, page, port, authority, pictures, policy = sys.argv[1:7]
hostile = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>"


def load(url, *options):
    subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-m", "10", "--cacert", authority, "-x", f"127.0.0.1:{port}", *options, url])


def visit(address, path):
    """The gate's own page, from another address of this machine."""
    subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-m", "10", "--interface", address, "-A", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5)",
         f"http://127.0.0.1:{port}{path}"], check=True)


def holds(fact, words):
    if not fact:
        sys.exit(f"MISSING  {words}")
    print(f"ok       {words}", flush=True)


async def main():
    async with {"chromium": Browser, "firefox": Firefox}[browser]() as tab:
        await tab.size(1400, 900)
        await tab.open(page)
        await tab.wait("document.querySelector('.live.on')", "the stream")
        await tab.wait("document.querySelector('#facts').innerText", "the gate's state")
        holds(await tab.run("document.querySelectorAll('#tabs button').length") == 5, "a gate without a shared store has no fleet view")
        holds("token" not in await tab.run("location.href"), "the token has left the address line")
        holds(await tab.run("document.cookie") == "", "no script can read the cookie")

        await asyncio.to_thread(load, "http://plain.lab.test/a?x=1")
        await asyncio.to_thread(load, "https://expired.lab.test/")
        await asyncio.to_thread(load, "https://good.lab.test/")
        await tab.wait("document.querySelectorAll('section.list .row[tabindex]').length >= 3", "live loads")
        holds(True, "loads show up while the page is open")

        await tab.press("/")
        await tab.run("document.querySelector('input[type=search]').value = 'expired*'; "
                      "document.querySelector('input[type=search]').dispatchEvent(new Event('input'))")
        await tab.wait("document.querySelectorAll('section.list .row[tabindex]').length === 1", "one row with the filter")
        holds("search=expired" in await tab.run("location.search"), "the search is in the address")
        await tab.press("Escape")
        await tab.press("j")
        await tab.press("Enter")
        await tab.wait("document.querySelector('article.load .picture')", "the detail")
        words = await tab.run("document.querySelector('article.load').innerText")
        holds("-9802" in words and "-1200" in words, "both codes, by keyboard only")
        holds("trust.expired" in words and "On the server" in words, "finding and fix")
        holds(await tab.run("document.querySelectorAll('ol.chain li').length >= 2"), "the chain")
        holds(await tab.run("document.querySelector('.picture').getAttribute('aria-label').includes('trust.expired') && document.querySelectorAll('.picture path.blocked').length >= 1"), "the end of the handshake")
        await tab.open(await tab.run("location.href"))
        await tab.wait("document.querySelector('article.load .picture')", "the same load after a reload")
        await tab.wait("document.querySelectorAll('section.list .row[tabindex]').length === 1", "the same filter")
        holds(True, "a reload shows the same load and filter")
        await tab.picture(f"{pictures}/loads-1400-light.png")
        await tab.dark(True)
        await tab.picture(f"{pictures}/loads-1400-dark.png")
        await tab.dark(False)
        await tab.press("Escape")
        await tab.press("c")

        await tab.press("3")
        await tab.wait("document.querySelector('#whatif-text')?.value.includes('dict')", "what if")
        await tab.run("document.querySelector('#whatif-text').value = '{\"NSAllowsArbitraryLoads\": true}'; "
                      "document.querySelector('button.main').click()")
        await tab.wait("document.querySelector('.result .rows')?.innerText.includes('plain.lab.test')", "newly allowed")
        holds(True, "what if: the cleartext load would be allowed")
        await tab.press("Escape")
        await tab.run("document.activeElement.blur()")

        await tab.press("4")
        await tab.wait("document.querySelector('.formats summary')", "recordings")
        await tab.run("document.querySelector('main form input').value = 'by browser'; "
                      "document.querySelector('main form button').click()")
        await tab.wait("document.querySelector('#facts').innerText.includes('by browser')", "a new recording")
        holds(True, "a recording is started")
        await asyncio.to_thread(load, "http://plain.lab.test/b", "-A", hostile, "-X", "GET")
        await asyncio.to_thread(load, f"http://plain.lab.test/{hostile.replace(' ', '')}", "--path-as-is", "-g")
        await tab.wait("document.querySelector('.formats summary')", "the loads of the recording")
        await tab.run("document.querySelector('.formats summary').click()")
        await tab.wait("document.querySelector('.formats a')", "the formats")
        text = await tab.run("fetch(document.querySelector('.formats a[href*=markdown]').href).then((r) => r.text())")
        holds("plain.lab.test" in text, "a report is exported")
        await tab.run("[...document.querySelectorAll('button.link')].find((one) => one.innerText === 'from a device').click()")
        await tab.wait("document.querySelector('.host')?.innerText.includes('-1200 [3:-9802]')", "loads from before the start")
        text = await tab.run("document.querySelector('main').innerText")
        holds("device.test" in text and "its log names no rule" in text, "loads from a device's log are shown by host")
        await tab.run("[...document.querySelectorAll('main button')].find((one) => one.innerText === 'Clear filters').click()")

        await tab.run("document.activeElement.blur()")
        await tab.press("1")
        await tab.wait("document.querySelectorAll('section.list .row[tabindex]').length >= 4", "the loads of both recordings")
        count = await tab.run("document.querySelectorAll('section.list .row[tabindex]').length")
        shown = ""
        for place in range(count):
            await tab.run(f"document.querySelectorAll('section.list .row[tabindex]')[{place}].click()")
            await tab.wait("document.querySelector('article.load')", "a detail")
            await tab.run("document.querySelectorAll('article details').forEach((one) => { one.open = true; })")
            await asyncio.sleep(0.3)
            shown += await tab.run("document.querySelector('article.load').innerText")
        holds(await tab.run("window.pwned === undefined"), "script in a load stays text")
        holds("onerror" in shown, "and is shown as text")
        holds(await tab.run("document.querySelectorAll('main img, main script').length") == 0, "no element comes from a load")

        await tab.press("Escape")
        await tab.press("l")
        await tab.wait("document.querySelectorAll('.latest .row[tabindex]').length >= 5", "the latest loads")
        await tab.press("j")
        await tab.press("Enter")
        await tab.wait("document.querySelector('article.load')", "a load of the latest")
        holds(await tab.run("location.search.includes('list=latest')"), "the latest loads one by one")
        await tab.picture(f"{pictures}/latest-1400-light.png")
        await tab.press("Escape")
        await tab.press("h")
        open(policy, "w").write("{ broken")
        await tab.wait("document.querySelector('#notices .trouble')", "the result of a broken policy")
        open(policy, "w").write('{"NSAllowsArbitraryLoads": true}')
        await tab.wait("document.querySelector('#notices .policy')", "the result of a new policy")
        holds(True, "changes of the policy are shown while the page is open")
        # Allowed by that policy, so that the page shows nothing but their names.
        odd = ["x.123", "xn--a.local"]
        hosts = "[...document.querySelectorAll('.host .name')].map((name) => name.innerText)"
        await tab.press("2")
        await tab.run("import('/api.js').then((api) => { window.pull = api.watch(() => { throw new Error('planted'); }); })")
        await tab.press("1")
        for host in odd:
            await asyncio.to_thread(load, f"http://{host}/")
        await asyncio.to_thread(load, "http://plain.lab.test/behind-them")
        await tab.wait(f"{odd}.every((host) => {hosts}.includes(host))", "hosts that cannot be in a URL")
        behind = f"[...document.querySelectorAll('.host')].filter((host) => {odd}.includes(host.querySelector('.name').innerText))"
        await tab.wait(f"{behind}.every((host) => host.querySelector('.row .rule')?.innerText.length > 0)", "their rows")
        holds("plain.lab.test" in await tab.run(hosts), "odd hosts are drawn, and those after them")
        holds(any("planted" in message for message in tab.messages), "a row that cannot be drawn reports an error, and stops no other")
        await tab.run("window.pull()")
        tab.messages = [message for message in tab.messages if "planted" not in message]
        for name, key in [("dictionary", "2"), ("devices", "5")]:
            await tab.press(key)
            await tab.wait("document.querySelector('main table, main pre')", name)
        device = "[...document.querySelectorAll('table.lights tbody tr')].find((row) => row.cells[1].innerText === '127.0.0.{}')"
        lights = "[...(%s?.querySelectorAll('.dot') ?? [])].map((dot) => dot.classList[1]).join(' ') === '{}'" % device
        await tab.wait(lights.format(1, "on on on on off on"), "the lights of a device whose https loads were read")
        await asyncio.to_thread(visit, "127.0.0.2", "/")
        await tab.wait(lights.format(2, "on off off off off off"), "a device that only reached the gate", 5)
        await tab.run(f"({device.format(2)}).querySelector('button').focus()")
        await asyncio.to_thread(visit, "127.0.0.2", "/atsgate-ca.cer")
        await tab.wait(lights.format(2, "on off half off off off"), "the certificate was fetched", 5)
        kept = f"document.activeElement === ({device.format(2)}).querySelector('button')"
        holds(await tab.run(kept), "a row that changes keeps its focus")
        words = await tab.run(f"({device.format(2)}).innerText")
        holds("iPhone" in words and "not yet trusted" in words, "lights of devices turn on while the page is open")
        for dark in [False, True]:
            await tab.dark(dark)
            await tab.picture(f"{pictures}/devices-1400-{'dark' if dark else 'light'}.png")
        await tab.dark(False)
        await tab.size(390, 844)
        for view, key in [("loads", "1"), ("dictionary", "2"), ("what-if", "3"), ("recordings", "4"), ("devices", "5")]:
            await tab.press(key)
            await asyncio.sleep(0.4)
            holds(await tab.run("document.documentElement.scrollWidth <= 390"), f"{view} fits a phone")
            for dark in [False, True]:
                await tab.dark(dark)
                await tab.picture(f"{pictures}/{view}-390-{'dark' if dark else 'light'}.png")
        holds(tab.messages == [], f"the browser reported no errors {tab.messages or ''}")


asyncio.run(main())
