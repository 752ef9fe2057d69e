"""The fleet view on the page of a gate that shares its store, in a headless Chromium, with a real PostgreSQL server.
Called by fleet.sh, which stops and starts the server on request.

usage: fleet.py PAGE_URL LONELY_PAGE_URL SOCKET_FOLDER PICTURES_FOLDER

PAGE_URL: of a gate whose login sees all gates; LONELY_PAGE_URL: of one that sees only its own.
Prints a line for each check that passes, and `END` or `START` as a request to fleet.sh. Exit: 0, or 1 at the first
check that fails.
"""
import asyncio
import sys

import sql
from browser import Browser

page, lonely, folder, pictures = sys.argv[1:5]
root = page.split("?")[0]
hostile = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>"
gates = "[...document.querySelectorAll('.gates .row[tabindex]')]"
hosts = "[...document.querySelectorAll('.blocked-hosts .row[tabindex]')]"
stops = """[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((one) => one.tabIndex >= 0 && one.checkVisibility() && !one.disabled)"""


def holds(fact, words):
    if not fact:
        sys.exit(f"MISSING  {words}")
    print(f"ok       {words}", flush=True)


def fill():
    """A gate whose names contain markup, and one that is silent and has loads left; and the loads that both blocked."""
    one, other = "00000000-0000-0000-0000-0000000000a1", "00000000-0000-0000-0000-0000000000a2"
    sql.run(f"host={folder} user=postgres dbname=ats", f"""
        SET search_path = atsgate, pg_catalog;
        INSERT INTO gate (spool, host, label, version, policy, started, seen, shipped, waiting) VALUES
            ('{one}', '{hostile}', '{hostile}', '9.9', '{hostile}', now(), now() + interval '1 hour', 2, 0),
            ('{other}', 'mac2', 'phones', '0.1', NULL, now(), now() - interval '1 hour', 1, 1234);
        SELECT make_day((now() AT TIME ZONE 'UTC')::date), make_day((now() AT TIME ZONE 'UTC')::date - 1);
        INSERT INTO shared (id, recording, host, verdict, os, entrance, text, last_day)
        SELECT content_id(ARRAY['night', host, 'blocked', 'ios26.4', NULL, 'proxy', NULL, NULL, NULL, 't'], NULL), 'night',
            host, 'blocked', 'ios26.4', 'proxy', 't', now() FROM unnest(ARRAY['{hostile}', 'old.test']) host;
        INSERT INTO diagnosis VALUES (content_id(ARRAY['ats.tls-version', 't'], NULL), 'ats.tls-version', 't', now());
        INSERT INTO load (gate, seq, id, time, shared, diagnosis, path, client, method, sent, received, total)
        SELECT gate::uuid, 1, gen_random_uuid(), now() - ago * interval '1 hour',
            content_id(ARRAY['night', host, 'blocked', 'ios26.4', NULL, 'proxy', NULL, NULL, NULL, 't'], NULL),
            content_id(ARRAY['ats.tls-version', 't'], NULL), '/', '192.0.2.1:1', 'GET', 0, 0, 1
        FROM (VALUES ('{one}', 0, '{hostile}'), ('{other}', 0, '{hostile}'), ('{other}', 2, 'old.test')) one (gate, ago, host);
        INSERT INTO tally VALUES ('{one}', 'night', 'blocked', 1, now(), now()), ('{other}', 'night', 'blocked', 2, now(), now());
    """)


async def lists(tab):
    words = await tab.run("document.querySelector('main').innerText")
    holds(words.count("<img src=x") >= 4 and await tab.run("window.pwned === undefined && !document.querySelector('main img, main script')"),
          "names of other gates and of their blocked hosts stay text")
    own = await tab.run(f"{gates}.find((row) => row.innerText.includes('this gate'))?.innerText")
    holds(own and "silent" not in own, "its own gate is marked, and not as silent")
    silent = await tab.run(f"{gates}.find((row) => row.innerText.includes('mac2')).innerText")
    holds("silent, loads left" in silent and "1 h" not in silent and "60 min ago" in silent and "1\u202f234" in silent,
          "a silent gate is marked, with its loads and its last time")
    holds("1 silent for more than 2 minutes" in words and "loads waiting" in words, "there is a sum")
    holds(await tab.run(f"{hosts}.length === 1 && {hosts}[0].innerText.includes('mac2 phones')"), "blocked hosts show their gates")
    await tab.run("(() => { const choice = document.querySelector('main .line select[aria-label^=blocked]'); choice.value = '24'; choice.dispatchEvent(new Event('change')); })()")
    await tab.wait(f"{hosts}.length === 2", "the hosts blocked within a day")
    holds(True, "the last hour or the last day")


async def keyboard(tab):
    names = f"{gates}.map((row) => row.querySelector('b').innerText)"
    head = "[...document.querySelectorAll('.gates button.head')].find((head) => head.innerText.startsWith('{}'))"
    holds(await tab.run(f"({stops}).filter((one) => one.closest('.fleet-lists') && !one.matches('select')).length") == 2,
          "the lists are one tab stop, and their heads another")
    for words, order in [("waiting", "descending"), ("waiting", "ascending"), ("seen", "descending")]:
        await tab.run(head.format(words) + ".click()")
        await tab.wait(f"{head.format(words)}.parentElement.ariaSort === '{order}'", f"sorted by {words}, {order}")
        first = (await tab.run(names))[-1 if order == "ascending" or words == "seen" else 0]
        holds(first == "mac2", f"heads sort by {words}, {order}")
    holds("sort=seen" in await tab.run("location.search"), "the order is in the address")
    await tab.run("document.activeElement.blur()")
    await tab.press("ArrowDown")
    await tab.press("ArrowDown")
    holds(await tab.run(f"{gates}.indexOf(document.activeElement)") == 1, "arrow keys move between rows")
    await tab.press("End")
    holds(await tab.run(f"{hosts}.at(-1) === document.activeElement"), "and on into the blocked hosts")
    await tab.run("document.activeElement.blur()")
    await tab.press("1")
    await tab.wait("document.querySelector('section.list')", "the loads")
    await tab.run("history.back()")
    await tab.wait(f"{gates}.length === 4", "Back to the fleet")
    await tab.open(await tab.run("location.href"))
    await tab.wait(f"{gates}.length === 4 && {names}.at(-1) === 'mac2'", "the same after a reload")
    holds(await tab.run("document.querySelector('#tabs [aria-current]').innerText") == "Fleet", "Back and a reload show it in the same order")


async def away(tab):
    state = "document.querySelector('main .trouble').innerText"
    print("END", flush=True)
    await tab.wait(f"{state}.startsWith('No answer from the shared store: ') && {state}.includes('The data shown is from ')", "a message that the server does not answer", 60)
    holds(await tab.run(f"{gates}.length === 4"), "without the server the page shows a message and the last answer")
    await tab.wait("document.querySelector('main section').innerText.includes('This gate cannot reach the store: ')", "the gate's own trouble", 60)
    holds(True, "the gate's own state is shown anyway")
    await tab.picture(f"{pictures}/fleet-away-1400-light.png")
    print("START", flush=True)
    await tab.wait(f"{state} === ''", "the server again", 90)
    holds(True, "the message disappears when the server is back")


async def main():
    fill()
    async with Browser() as tab:
        await tab.size(1400, 900)
        await tab.open(lonely)
        await tab.wait("document.querySelector('#tabs [data-view=fleet]')", "the tab of a gate that shares its store")
        holds("This gate's loads only." in await tab.run("document.querySelector('section.list').innerText"), "the list of loads names the gate that they belong to")
        await tab.press("6")
        await tab.wait(f"{gates}.length === 1", "the gate of this login", 60)
        words = await tab.run("document.querySelector('main').innerText")
        holds("This login sees only the gates that ship with it" in words and "mac2" not in words, "a login that sees only its own gate gets a note")
        await tab.press("2")
        await tab.wait("document.querySelector('main').innerText.includes('loads only: some are not')", "the scope of the dictionary's uses")
        await tab.open(page)
        await tab.wait("document.querySelector('#tabs [data-view=fleet]')", "the tab")
        await tab.press("6")
        await tab.wait(f"{gates}.length === 4 && {gates}.some((row) => row.innerText.includes('this gate'))", "all gates", 60)
        await lists(tab)
        await keyboard(tab)
        await tab.size(390, 844)
        holds(await tab.run("document.documentElement.scrollWidth <= 390 && document.querySelector('main .sorting').checkVisibility()"), "it fits a phone, where a choice sorts")
        await tab.size(1400, 900)
        await away(tab)
        holds(tab.messages == [], f"the browser reported no errors {tab.messages or ''}")


asyncio.run(main())
