"""Drives a headless Chromium through its DevTools protocol, with the features that the page's tests need."""
import asyncio
import base64
import json
import os
import shutil
import subprocess
import tempfile

import websockets


class Browser:
    """One tab. Use as `async with Browser() as tab`.

    options: additional options of Chromium. authority: a PEM file of a CA to trust.
    """

    def __init__(self, *options, authority=None):
        self.options, self.authority = options, authority

    async def __aenter__(self):
        binary = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
        self.home = tempfile.mkdtemp(prefix="atsgate-browser-")
        if self.authority:
            store = os.path.join(self.home, ".pki/nssdb")
            os.makedirs(store)
            subprocess.run(["certutil", "-d", f"sql:{store}", "-N", "--empty-password"], check=True)
            subprocess.run(
                ["certutil", "-d", f"sql:{store}", "-A", "-t", "C,,", "-n", "gate", "-i", self.authority], check=True)
        # No sandbox, because root cannot have one; and small machines have little shared memory.
        self.process = subprocess.Popen(
            [binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             f"--user-data-dir={self.home}", "--remote-debugging-port=0", *self.options,
             "about:blank"],
            env={**os.environ, "HOME": self.home, "XDG_CONFIG_HOME": self.home}, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        port_file = os.path.join(self.home, "DevToolsActivePort")
        await self.until(lambda: os.path.exists(port_file) and open(port_file).read().count("\n") >= 1, "Chromium")
        port, path = open(port_file).read().split("\n")[:2]
        self.socket = await websockets.connect(f"ws://127.0.0.1:{port}{path}", max_size=None)
        self.number, self.session, self.messages = 0, None, []
        target = (await self.call("Target.createTarget", url="about:blank"))["targetId"]
        self.session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            await self.call(f"{domain}.enable")
        return self

    async def __aexit__(self, *_):
        await self.socket.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    async def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        await self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), 60))
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']} {answer.get('message', '')}")
                return answer["result"]
            self.take(answer)

    def take(self, event):
        """Keeps the page's errors: exceptions, refused loads, violations of its own policy."""
        if event.get("method") == "Runtime.exceptionThrown":
            details = event["params"]["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
            self.messages.append(event["params"]["entry"]["text"])

    async def run(self, script):
        """The value of an expression; promises are awaited."""
        result = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", script))
        return result["result"].get("value")

    async def wait(self, script, what, seconds=20):
        """Waits until an expression is true."""
        await self.until(lambda: self.run(f"!!({script})"), what, seconds)

    async def until(self, condition, what, seconds=20):
        for _ in range(seconds * 20):
            found = condition()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return
            await asyncio.sleep(0.05)
        raise SystemExit(f"MISSING  {what}: not within {seconds} s")

    async def open(self, url):
        await self.call("Page.navigate", url=url)
        await self.wait("document.readyState === 'complete' && location.href !== 'about:blank'", url)

    async def press(self, key):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
                 "Home": 36, "End": 35}
        parameters = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        if len(key) == 1:
            parameters["text"] = key
        if key == "Enter":
            parameters["text"] = "\r"
        await self.call("Input.dispatchKeyEvent", type="keyDown", **parameters)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def size(self, width, height):
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    async def dark(self, is_dark):
        await self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    async def picture(self, path):
        data = (await self.call("Page.captureScreenshot", format="png"))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
