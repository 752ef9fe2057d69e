"""A parent proxy that supports only CONNECT: prints the port that it listens on, then each target.

usage: parent.py
"""
import asyncio


async def pump(reader, writer):
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


async def serve(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
    print(method, target, flush=True)
    host, _, port = target.rpartition(":")
    try:
        assert method == "CONNECT", method
        there, back = await asyncio.open_connection(host.strip("[]"), int(port))
    except (AssertionError, OSError):
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        return
    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
    await asyncio.gather(pump(reader, back), pump(there, writer))
    back.close()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("listening", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
