"""The page's cost for the gate: its CPU time at a steady rate of loads, without a page, with one in a browser, with one
that never reads, and with many idle connections. Called by cost.sh.

usage: cost.py PAGE_URL PROXY_PORT GATE_PID [SECONDS [LOADS_PER_SECOND]]
"""
import asyncio
import os
import sys
import time
import urllib.parse

from browser import Browser

page, port, gate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 10
rate = int(sys.argv[5]) if len(sys.argv) > 5 else 1000
connections = 10
address = urllib.parse.urlsplit(page)
token = urllib.parse.parse_qs(address.query)["token"][0]


def cpu():
    fields = open(f"/proc/{gate}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def client(number, times):
    """Sends loads one after the other at its share of the rate, and catches up if it is late."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    begun, count = time.monotonic(), 0
    while (now := time.monotonic()) < begun + seconds:
        due = begun + count * connections / rate
        if due > now:
            await asyncio.sleep(due - now)
        host = f"host{(number * 7 + count) % 60}.test"
        asked = time.monotonic()
        writer.write(f"GET http://{host}/{count} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
        times.append(time.monotonic() - asked)
        count += 1
    writer.close()


async def measure(words):
    times = []
    before = cpu()
    await asyncio.gather(*(client(number, times) for number in range(connections)))
    spent = cpu() - before
    times.sort()
    figures = f"{len(times) / seconds:.0f} loads/s, CPU {1000 * spent / len(times):.3f} s per 1,000 loads, "
    print(f"{words:28s} {figures}p50 {1000 * times[len(times) // 2]:.2f} ms, p99 {1000 * times[len(times) * 99 // 100]:.2f} ms",
          flush=True)
    return spent / len(times)


async def main():
    await measure("warming up")
    without, beside = [], []
    for turn in range(3):
        without.append(await measure("without a page"))
        async with Browser() as tab:
            await tab.open(page)
            await tab.wait("document.querySelector('.live.on')", "the stream")
            beside.append(await measure("with a page in Chromium"))
            rows = await tab.run("document.querySelectorAll('.groups .row[tabindex]').length")
            asked = time.monotonic()
            await tab.press("j")
            await tab.press("Enter")
            await tab.wait("document.querySelector('article.load')", "the page is usable")
            print(f"    the page shows {rows} rows and opened one in {1000 * (time.monotonic() - asked):.0f} ms")
    stuck = []
    for _ in range(10):
        _, writer = await asyncio.open_connection(address.hostname, address.port, limit=1)
        writer.transport.pause_reading()
        writer.write(f"GET /api/v1/events HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        stuck.append(writer)
    await measure("10 readers that never read")
    for writer in stuck:
        writer.close()
    crowd = []
    for _ in range(10_000):
        try:
            crowd.append(await asyncio.wait_for(asyncio.open_connection(address.hostname, address.port), 5))
        except (OSError, asyncio.TimeoutError):
            break
    print(f"    {len(crowd)} connections to the page were opened and left idle")
    await measure("idle connections")
    print(f"a page adds {100 * (min(beside) / min(without) - 1):+.1f} percent to the gate's CPU time per load (best of three)")


asyncio.run(main())
