"""The features of the live page, in a headless Chromium: search, sort, go back, copy, clear, pause, recordings, and all
of it by keyboard. Called by page.sh, with a gate that has recorded nothing yet.

usage: abilities.py PAGE_URL PROXY_PORT CA_PEM PICTURES_FOLDER

Prints a line for each check that passes. Exit: 0, or 1 at the first that fails.
"""
import asyncio
import subprocess
import sys

from browser import Browser

page, port, authority, pictures = sys.argv[1:5]
rows = "[...document.querySelectorAll('.rows > :not([hidden]) .row[tabindex]')]"
stops = """[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((one) => one.tabIndex >= 0 && one.checkVisibility() && !one.disabled)"""


def load(url, *options):
    subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-m", "10", "--cacert", authority, "-x", f"127.0.0.1:{port}", *options, url])


def holds(fact, words):
    if not fact:
        sys.exit(f"MISSING  {words}")
    print(f"ok       {words}", flush=True)


async def search(tab, words):
    await tab.press("/")
    await tab.run(f"""(() => {{ const field = document.querySelector('input[type=search]'); field.value = {words!r};
        field.dispatchEvent(new Event('input')); field.blur(); }})()""")


async def empty_page(tab):
    await tab.wait("document.querySelector('.empty [role=tab]')", "the empty page")
    for name, words in [("simulator", "atsgate setup simulator booted"), ("phone", "--allow-lan"), ("command", "atsgate-ca.pem"), ("nothing", "atsgate doctor")]:
        await tab.run(f"document.querySelector('#way-{name}').click()")
        await tab.wait(f"document.querySelector('#way').innerText.includes({words!r})", name)
        holds(await tab.run("document.querySelectorAll('#way .copyable button').length >= 1"), f"the empty page explains {name}, ready to copy")
        await tab.picture(f"{pictures}/empty-{name}-1400-light.png")
    await tab.run("document.querySelector('#way-simulator').focus()")
    await tab.press("ArrowLeft")
    holds(await tab.run("document.activeElement.id === 'way-nothing'"), "arrow keys move between the ways")
    holds("never recorded" in await tab.run("document.querySelector('.empty').innerText"), "the empty page mentions that bodies are not recorded")
    await tab.run("document.activeElement.blur()")


async def searches(tab):
    for words, groups, loads in [
        ("plain.lab", 1, 1), ("/echo", 1, 1), ("404", 1, 1), ("-9802", 1, 1), ("trust.expired", 1, 1), ("post", 1, 1), ("iPhone", 1, 2),
        ("cleartext get", 1, 1), ("*.lab.test", 3, 4), ("ats.cleartext-load POST", 0, 0),
    ]:
        for key, what, found in [("h", "by host", groups), ("l", "among the latest", loads)]:
            await tab.press(key)
            await search(tab, words)
            await tab.wait(f"new URLSearchParams(location.search).get('search') === {words!r} && {rows}.length === {found} && document.querySelector('.list > .quiet').innerText !== 'Searching...'", f"{found} rows for {words} {what}")
        holds(True, f"{words} finds {groups} by host, {loads} among the latest")
    text = await tab.run("[...document.querySelectorAll('.empty')].find((one) => one.checkVisibility()).innerText")
    holds("words ats.cleartext-load POST" in text and "The search covers host, path" in text, "a search without results shows what was searched")
    await tab.picture(f"{pictures}/nothing-found-1400-light.png")
    await tab.run("[...document.querySelectorAll('.empty button')].find((one) => one.innerText === 'Clear filters').click()")
    await tab.wait(f"{rows}.length === 4", "the filters are cleared")
    await search(tab, "good.lab")
    await tab.wait(f"{rows}.length === 2", "a search")
    await asyncio.to_thread(load, "https://good.lab.test/while-searching", "-A", "iPhone's app")
    await tab.wait(f"{rows}.length === 3 && {rows}[0].innerText.includes('while-searching')", "a load that arrives during a search")
    holds(True, "a search stays current while loads arrive")
    await tab.press("c")


async def sorting(tab):
    names = "[...document.querySelectorAll('.host .name')].map((name) => name.innerText).join(' ')"
    await tab.press("h")
    await tab.wait(f"{names} === 'expired.lab.test plain.lab.test good.lab.test'", "the worst first")
    head = "[...document.querySelectorAll('.groups button.head')].find((head) => head.innerText.startsWith('{}'))"
    for words, wanted, order in [
        ("host", "expired.lab.test good.lab.test plain.lab.test", "ascending"), ("host", "plain.lab.test good.lab.test expired.lab.test", "descending"),
        ("loads", "good.lab.test", "descending"), ("last", "good.lab.test", "descending"), ("took", "", "descending"), ("size", "", "descending"),
    ]:
        await tab.run(head.format(words) + ".click()")
        await tab.wait(f"{names}.startsWith({wanted!r}) && {head.format(words)}.parentElement.ariaSort === '{order}'", f"sorted by {words}, {order}")
    holds("sort=received" in await tab.run("location.search"), "heads sort by worst, host, count, time, duration and size; the order is in the address")
    cells = await tab.run("document.querySelector('.groups').innerText")
    holds(" ms" in cells, "durations of loads are shown")
    await tab.press("l")
    cells = await tab.run("document.querySelector('.latest').innerText")
    holds("POST" in cells and "404" in cells and " B" in cells, "method, status and size of each load are shown")
    status = await tab.run("[...document.querySelectorAll('.latest .row[tabindex]')].find((row) => row.innerText.includes('expired')).querySelector('.status').innerText")
    holds(status == "", "a load that had no answer has no status")
    await tab.press("t")
    await tab.wait("document.querySelectorAll('.timeline .lane').length === 3 && document.querySelectorAll('.timeline rect').length >= 4", "the timeline")
    await tab.run("document.querySelector('.timeline rect.blocked').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    await tab.wait("document.querySelector('article.load')", "a bar of the timeline opens its load")
    await tab.picture(f"{pictures}/timeline-1400-light.png")
    holds(True, "a timeline, whose bars open their loads")
    await tab.press("Escape")
    await tab.wait("!document.querySelector('article.load')", "the detail closes")


async def keyboard(tab):
    await tab.press("h")
    await tab.wait(f"{rows}.length >= 3", "the list")
    holds(await tab.run(f"({stops}).filter((one) => one.closest('.rows')).length") == 2, "a list is one tab stop, and its heads are another")
    await tab.run("document.querySelector('.groups button.head').focus()")
    await tab.press("ArrowRight")
    holds(await tab.run("document.activeElement.innerText") == "host and reason", "arrow keys move between heads")
    await tab.run("document.activeElement.blur()")
    await tab.press("ArrowDown")
    await tab.press("ArrowDown")
    place = f"{rows}.indexOf(document.activeElement)"
    holds(await tab.run(place) == 1, "arrow keys move between rows")
    await tab.press("k")
    holds(await tab.run(place) == 0, "so do j and k")
    await tab.press("End")
    holds(await tab.run(place) == await tab.run(f"{rows}.length") - 1, "and Home and End")
    await tab.press("Home")
    await tab.press("Enter")
    await tab.wait("document.activeElement.matches('article.load h2')", "Enter opens a load and moves the focus there")
    await tab.press("Escape")
    await tab.wait(f"!document.querySelector('article.load') && {place} === 0", "Esc closes it and returns to the row")
    holds(True, "Enter moves to the load, Esc back to its row")
    await tab.run("document.activeElement.blur()")
    await tab.press("n")
    holds(await tab.run("Boolean(document.activeElement.querySelector('.badge.blocked'))"), "n goes to the next blocked row")
    await tab.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    await search(tab, "/echo")
    await tab.wait(f"{rows}.length === 1", "one row")
    await tab.press("ArrowDown")
    for key, wanted in [("u", "https://good.lab.test/echo"), ("y", "curl -i -X POST -A 'iPhone'\\''s app' https://good.lab.test/echo"), ("b", "atsgate probe --policy")]:
        await tab.press(key)
        await tab.wait("document.querySelector('#said').innerText.startsWith('Copied')", "a copy")
        text = await tab.run("navigator.clipboard.readText()")
        holds(text.startswith(wanted), f"{key} copies {text}")
        await tab.run("document.querySelector('#said').textContent = ''")
    await tab.press("c")
    await tab.press("?")
    holds(await tab.run("document.querySelector('#help').open && document.querySelector('#help').innerText.includes('next blocked')"), "? lists the keys")
    await tab.picture(f"{pictures}/keys-1400-light.png")
    await tab.press("Escape")


async def back(tab, words):
    await tab.press("h")
    await tab.wait(f"{rows}.length >= 3", "the list")
    await tab.run(f"{rows}[0].click()")
    await tab.wait("document.querySelector('article.load')", "a load")
    await tab.run(f"{rows}.at(-1)?.click()" if words == "wide" else "history.length")
    await tab.run("document.querySelector('#tabs [data-view=recordings]').click()")
    await tab.wait("document.querySelector('.runs .row[tabindex]')", "recordings")
    await tab.run("history.back()")
    await tab.wait("document.querySelector('article.load')", "Back returns from a view to the load")
    if words == "wide":
        await tab.run("history.back()")
        await tab.wait("document.querySelector('article.load h2').innerText.includes('xpired')", "and to the load before")
    await tab.run("history.back()")
    await tab.wait("!document.querySelector('article.load') && location.href !== 'about:blank'", "and to the list")
    await tab.run("history.forward()")
    await tab.wait("document.querySelector('article.load')", "Forward returns to the load")
    await tab.run("document.querySelector('article.load .close').click()")
    await tab.wait("!document.querySelector('article.load')", "Close")
    await tab.press("t")
    await tab.wait("document.querySelector('.timeline')?.checkVisibility()", "the timeline")
    await tab.run("history.back()")
    await tab.wait("document.querySelector('.groups').checkVisibility() && !location.search.includes('load=')", "the list after closing")
    holds(await tab.run("location.pathname") == "/", f"Back and Forward move between views and loads, {words}")


async def clear_and_pause(tab):
    await tab.press("h")
    await tab.press("x")
    await tab.wait(f"{rows}.length === 0 && document.querySelector('.chip.blocked b').innerText === '0'", "a cleared list")
    await asyncio.to_thread(load, "http://plain.lab.test/after")
    await tab.wait(f"{rows}.length === 1 && {rows}[0].querySelector('.loads').innerText === '1'", "the loads since then")
    await tab.run("document.querySelector('.menu summary').click()")
    link = "document.querySelector('.menu a[href*=jsonl]')"
    await tab.wait(link, "the formats")
    text = await tab.run(f"fetch({link}.href).then((answer) => answer.text())")
    holds(text.count("\n") == 1 and "/after" in text, "the list is cleared up to here, and the export matches the list")
    holds(await tab.run("document.querySelectorAll('.menu a').length") >= 12, "in every format")
    await tab.run("document.querySelector('.menu input').click()")
    redacted = await tab.run(f"fetch({link}.href).then((answer) => answer.text())")
    holds(redacted.count("\n") == 1 and "masked-" in redacted and "/after" not in redacted and "lab.test" not in redacted,
          "and without the names, for sharing")
    await tab.run("document.querySelector('.menu summary').click()")
    await tab.press("p")
    await asyncio.to_thread(load, "https://expired.lab.test/paused")
    await tab.wait("[...document.querySelectorAll('.fields button')].some((one) => one.innerText === 'Paused, new loads')", "a paused list")
    holds(await tab.run(f"{rows}.length") == 1, "pause stops the list, and shows when new loads arrive")
    await tab.press("p")
    await tab.wait(f"{rows}.length === 2", "the loads that arrived in the meantime")
    await tab.press("x")
    await tab.wait(f"{rows}.length === 3", "all of it again")


async def recordings(tab, reload):
    await tab.open(page.split("?")[0] + "?view=recordings")
    await tab.wait("document.querySelector('.runs .formats summary')", "recordings that were opened directly")
    await tab.run("document.querySelector('.runs .formats summary').click()")
    await tab.wait("document.querySelectorAll('.runs .formats a').length >= 12", "every format")
    holds(True, "opened directly, each recording has every format")
    await tab.picture(f"{pictures}/recording-formats-1400-light.png")
    await tab.run("document.querySelector('.runs .formats input').click()")
    redacted = await tab.run("fetch(document.querySelector('.runs .formats a[href*=html]').href).then((answer) => answer.text())")
    holds("<html" in redacted and "masked-" in redacted and "lab.test" not in redacted, "and a report without names, for sharing")
    await tab.run("document.querySelector('.runs .formats summary').focus()")
    await tab.press("Escape")
    holds(not await tab.run("document.querySelector('.runs .menu').open"), "Escape closes the menu")
    await tab.run("(() => { const name = document.querySelector('main form input'); name.value = 'second'; name.form.requestSubmit(); })()")
    first = "document.querySelectorAll('.runs .row[tabindex]')[0]"
    await tab.wait(f"{first}?.innerText.includes('second') && {first}.innerText.includes('now')", "the current recording comes first")
    holds(await tab.run("document.querySelectorAll('.runs .row[tabindex]')[1].innerText.includes('Delete') && !document.querySelectorAll('.runs .row[tabindex]')[0].innerText.includes('Delete')"),
          "the others can be renamed and deleted")
    await tab.run("(() => { const name = document.querySelector('main form input'); name.value = 'first'; name.form.requestSubmit(); })()")
    await tab.wait("document.querySelector('dialog[open]')?.innerText.includes('already')", "a question if the name is taken")
    await tab.picture(f"{pictures}/recording-taken-1400-light.png")
    await tab.run("[...document.querySelectorAll('dialog[open] button')].find((one) => one.innerText === 'Choose another name').click()")
    await tab.wait("!document.querySelector('dialog:not(#help)')", "the answer")
    holds("second" in await tab.run("document.querySelector('#facts').innerText"), "and another name can be chosen")
    await asyncio.to_thread(load, "https://good.lab.test/second")
    await tab.open(await tab.run("location.href"))
    await tab.wait("document.querySelectorAll('.runs .row[tabindex]').length >= 2 && document.querySelector('.runs .number:not([role=columnheader])').innerText !== '0'", "the loads of the second")
    await tab.run("[...document.querySelectorAll('.wide > div button')].find((one) => one.innerText === 'Compare').click()")
    await tab.wait("document.querySelector('.wide table')?.innerText.includes('not loaded')", "a comparison")
    above = "document.querySelector('.wide table').getBoundingClientRect().top < document.querySelector('.runs').getBoundingClientRect().top"
    holds(await tab.run(above), "two are compared above the list")
    holds(await tab.run(f"({stops}).filter((one) => one.closest('.runs')).length") == 1, "the list of recordings is one tab stop")
    broken = "[...document.querySelectorAll('.runs .row [role]')].filter((cell) => !cell.matches('.formats, .name, .acts') && cell.getClientRects().length && cell.scrollHeight > 40).length"
    holds(await tab.run(broken) == 0, "no cell breaks its words")
    await tab.picture(f"{pictures}/recordings-1400-light.png")
    for name, do, answer in [("first", "Rename", "renamed"), ("renamed", "Delete", None)]:
        await tab.run(f"document.querySelector('.runs button[aria-label=\"{do} {name}\"]').click()")
        await tab.wait("document.querySelector('dialog[open]')", f"{do} asks")
        if answer:
            await tab.run(f"document.querySelector('dialog[open] input').value = '{answer}'")
        await tab.run("document.querySelector('dialog[open] button.main').click()")
        wanted = f"document.querySelector('.runs').innerText.includes('{answer}')" if answer else f"!document.querySelector('.runs').innerText.includes('{name}')"
        await tab.wait(wanted, f"{do} {name}")
        holds(True, f"{do.lower()} asks first, then acts")


async def main():
    async with Browser() as tab:
        await tab.size(1400, 900)
        await tab.open(page)
        await empty_page(tab)
        await asyncio.to_thread(load, "http://plain.lab.test/a")
        await asyncio.to_thread(load, "https://expired.lab.test/")
        await asyncio.to_thread(load, "https://good.lab.test/echo", "-X", "POST", "-A", "iPhone's app")
        await asyncio.to_thread(load, "https://good.lab.test/status/404", "-A", "iPhone's app")
        await tab.wait(f"{rows}.length === 3", "loads")
        await searches(tab)
        await sorting(tab)
        await keyboard(tab)
        await back(tab, "wide")
        await clear_and_pause(tab)
        await tab.size(390, 844)
        await back(tab, "narrow")
        await tab.size(1400, 900)
        await recordings(tab, page)
        tab.messages = [message for message in tab.messages if "409" not in message]
        holds(tab.messages == [], f"the browser reported no errors {tab.messages or ''}")


asyncio.run(main())
