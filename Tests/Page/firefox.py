"""Drives a headless Firefox through WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), with the methods of Browser."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

import websockets

from browser import Browser

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010"}
# Nothing is loaded but what the tests open.
SETTINGS = {"app.update.disabledForTesting": True, "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False, "browser.safebrowsing.update.enabled": False,
            "extensions.systemAddon.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
            "services.settings.server": "http://127.0.0.1:9/", "dom.push.connection.enabled": False,
            "toolkit.telemetry.server": "http://127.0.0.1:9/"}


class Firefox(Browser):
    """One tab. It cannot change between the light and the dark colors of a page that is open."""

    async def __aenter__(self):
        self.home = tempfile.mkdtemp(prefix="atsgate-firefox-")
        with open(os.path.join(self.home, "user.js"), "w", encoding="utf-8") as file:
            file.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in SETTINGS.items())
        binary = shutil.which("firefox-esr") or shutil.which("firefox")
        if not binary:
            sys.exit("neither firefox-esr nor firefox is in PATH: .ci/install.sh peers")
        self.process = subprocess.Popen(
            [binary, "--headless", "--no-remote", "--profile", self.home, "--remote-debugging-port", "0", "about:blank"],
            env={**os.environ, "HOME": self.home}, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        place = os.path.join(self.home, "WebDriverBiDiServer.json")
        await self.until(lambda: os.path.exists(place) and os.path.getsize(place) > 0, "Firefox", 60)
        with open(place, encoding="utf-8") as file:
            port = json.load(file)["ws_port"]
        self.socket = await websockets.connect(f"ws://127.0.0.1:{port}/session", max_size=None)
        self.number, self.session, self.messages, self.is_dark = 0, None, [], False
        await self.call("session.new", capabilities={})
        await self.call("session.subscribe", events=["log.entryAdded"])
        self.tab = (await self.call("browsingContext.getTree"))["contexts"][0]["context"]
        return self

    def take(self, event):
        if event.get("method") == "log.entryAdded" and event["params"]["level"] == "error":
            self.messages.append(event["params"]["text"])

    async def run(self, script):
        answer = await self.call(
            "script.evaluate", expression=script, target={"context": self.tab}, awaitPromise=True, userActivation=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return plain(answer["result"])

    async def open(self, url):
        await self.call("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    async def press(self, key):
        value = KEYS.get(key, key)
        keys = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        await self.call(
            "input.performActions", context=self.tab, actions=[{"type": "key", "id": "keyboard", "actions": keys}])

    async def size(self, width, height):
        await self.call("browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": height})

    async def dark(self, is_dark):
        self.is_dark = is_dark

    async def picture(self, path):
        """Takes no picture in dark colors, which would show light ones."""
        if self.is_dark:
            return
        data = (await self.call("browsingContext.captureScreenshot", context=self.tab))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


def plain(value):
    """A remote value as Python's; those of the page itself, such as elements, as None."""
    if value["type"] in ("array", "nodelist"):
        return [plain(one) for one in value.get("value", [])]
    if value["type"] == "object":
        return {name: plain(one) for name, one in value.get("value", []) if isinstance(name, str)}
    return value.get("value") if value["type"] in ("string", "number", "boolean") else None
