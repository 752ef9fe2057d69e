"""Uses the tools of `atsgate mcp` with the client of the package mcp. Prints a line for each check that passes.

usage: agents.py ATSGATE FOLDER    FOLDER has lab.conf of atsgate lab
"""
import asyncio
import json
import os
import sys

import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

program, folder = sys.argv[1:]


def check(passed, words):
    if not passed:
        sys.exit(f"FAILED  {words}")
    print(f"ok  {words}", flush=True)


def servers():
    """The servers of the lab, as arguments of probe."""
    with open(os.path.join(folder, "lab.conf"), encoding="utf-8") as file:
        lines = [line.strip().split(" = ", 1) for line in file if " = " in line and not line.startswith("#")]
    return {
        "roots": [value for key, value in lines if key == "roots"],
        "connect_to": [value for key, value in lines if key == "connect-to"],
    }


async def use(mode, version):
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_DATA_HOME": os.path.join(folder, "data")}
    server = StdioServerParameters(command=program, args=["mcp"], env=environment, cwd=folder)
    async with Client(stdio_client(server), mode=mode) as client:
        check(client.protocol_version == version, f"{mode}: revision {client.protocol_version}")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        names = {"lint", "explain", "audit", "probe", "report", "replay", "suggest", "verify"}
        check(set(tools) == names, f"{mode}: all tools are listed")
        for tool in tools.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            check(tool.annotations.read_only_hint, f"{mode}: {tool.name} has a schema and only reads")

        with open(os.path.join(folder, "Info.plist"), "w", encoding="utf-8") as file:
            file.write('{"NSAppTransportSecurity":{"NSAllowsArbitraryLoads":true}}')
        answer = await client.call_tool("lint", {"paths": ["Info.plist"], "strict": True})
        check(not answer.is_error and answer.structured_content["exitCode"] == 1, f"{mode}: lint finds a mistake")
        check(json.loads(answer.content[0].text) == answer.structured_content, f"{mode}: the text is the same JSON")

        steps = []

        async def progress(done, total, message):
            steps.append(done)

        answer = await client.call_tool(
            "probe", {"targets": ["good.lab.test", "sha1.lab.test", "rsa-kx.lab.test"], **servers()},
            progress_callback=progress)
        verdicts = [result["verdict"] for result in answer.structured_content["output"]]
        check(verdicts == ["pass", "fail", "fail"], f"{mode}: probe judges three servers: {verdicts}")
        check(steps == sorted(steps) and len(steps) >= 2, f"{mode}: progress grows: {steps}")

        answer = await client.call_tool("explain", {"subjects": ["NSURLErrorDomain Code=-1200 [3:-9802]"]})
        check("-9802" in answer.content[0].text, f"{mode}: explain finds the code in a text")
        answer = await client.call_tool("lint", {"paths": ["/etc/passwd"]})
        check(answer.is_error, f"{mode}: a path outside of the folder is refused")

        pages = (await client.list_resources()).resources
        check(len(pages) > 40, f"{mode}: {len(pages)} pages are listed")
        page = await client.read_resource("atsgate://docs/law/tls#versions")
        check(page.contents[0].text.startswith("## "), f"{mode}: a section is read")


for way in [("legacy", "2025-11-25"), ("auto", "2026-07-28")]:
    asyncio.run(use(*way))
