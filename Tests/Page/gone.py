"""A live page whose gate stops and starts again, and one that is opened without its token, in a headless Chromium.
Called by page.sh, which stops and starts the gate on request.

usage: gone.py PAGE_URL PICTURES_FOLDER

Prints a line for each check that passes, and `END` or `START` as a request to page.sh. Exit: 0, or 1 at the first check
that fails.
"""
import asyncio
import sys
import urllib.parse

from browser import Browser

page, pictures = sys.argv[1:3]
address = urllib.parse.urlsplit(page)


class Line:
    """A connection between browser and gate that can be cut."""

    port = 0

    async def mend(self):
        self.ends = []
        self.server = await asyncio.start_server(self.join, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    async def cut(self):
        self.server.close()
        for end in self.ends:
            end.close()

    async def join(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(address.hostname, address.port)
        except OSError:
            return writer.close()
        self.ends += [writer, far_writer]
        await asyncio.gather(self.carry(reader, far_writer), self.carry(far_reader, writer), return_exceptions=True)

    async def carry(self, reader, writer):
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()


def holds(fact, words):
    if not fact:
        sys.exit(f"MISSING  {words}")
    print(f"ok       {words}", flush=True)


async def main():
    line = Line()
    await line.mend()
    root = f"http://127.0.0.1:{line.port}/"
    async with Browser() as tab:
        await tab.size(1400, 900)
        await tab.open(root)
        words = await tab.run("document.body.innerText")
        holds("needs a token" in words and "terminal" in words, "without the token, a page explains where to find it")
        await tab.picture(f"{pictures}/door-1400-light.png")
        await tab.open(f"{root}?{address.query}" + "&search=*.example.com&verdict=blocked")
        await tab.wait("document.querySelector('.live.on')", "the stream")
        holds(await tab.run("document.querySelector('input[type=search]').value") == "*.example.com", "the rest of the address stays when the token leaves it")
        holds(await tab.run("document.querySelector('#lost').hidden"), "no banner while the gate answers")
        await line.cut()
        await tab.wait("document.querySelector('#lost').innerText.includes('No answer from the gate')", "a banner")
        await line.mend()
        await tab.wait("document.querySelector('#lost').hidden && document.querySelector('.live.on')", "the gate again")
        holds(True, "a page that lost its gate shows a banner, and reconnects by itself")
        print("END", flush=True)
        await tab.wait("document.querySelector('#lost').innerText.includes('No answer from the gate')", "a banner that the gate does not answer")
        await tab.picture(f"{pictures}/lost-1400-light.png")
        print("START", flush=True)
        await tab.wait("document.querySelector('#lost').innerText.includes('atsgate was restarted')", "a restarted gate", 30)
        holds(True, "the page shows that its gate was restarted and has a new address")


asyncio.run(main())
