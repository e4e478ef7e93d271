"""A Chromium without a window, driven by chromedriver over HTTP (W3C WebDriver)."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip


def missing_programs():
    """What is not installed of the two programs that are needed."""
    return [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]


class Browser:
    """Closed at the end of a `with`. Requests and messages of the console are kept by the driver."""

    def __init__(self, width=1280, height=900, dark=False):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = None
        for line in self._driver.stdout:
            found = re.search(r"on port (\d+)", line)
            if found and "successfully" in line:
                port = found.group(1)
                break
        self._address = f"http://127.0.0.1:{port}/session"
        options = [*OPTIONS, f"--window-size={width},{height}", f"--user-data-dir={self._folder.name}"]
        if dark:
            options.append("--force-dark-mode")
        wanted = {"goog:chromeOptions": {"args": options, "binary": shutil.which("chromium")},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}  # fmt: skip
        self._address += "/" + self._send("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.command("Emulation.setEmulatedMedia", features=scheme)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._send("", None, "DELETE")
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()
            self._folder.cleanup()

    def _send(self, path, body, method="POST"):
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, content, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def command(self, name, **parameters):
        """One of the DevTools protocol."""
        return self._send("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, path):
        self._send("/url", {"url": path.resolve().as_uri()})

    def run(self, script, *arguments):
        """What the body of a function returns."""
        return self._send("/execute/sync", {"script": script, "args": list(arguments)})

    def run_later(self, script, *arguments):
        """What the body of a function gives to the function that is its last argument."""
        return self._send("/execute/async", {"script": script, "args": list(arguments)})

    def press(self, key):
        """A key for what has the focus."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._send("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def messages(self):
        """Warnings and errors of the console since the last call."""
        return [one["message"] for one in self._send("/se/log", {"type": "browser"}) if one["level"] in ("WARNING", "SEVERE")]

    def requests(self):
        """Addresses that were asked for since the last call."""
        found = []
        for entry in self._send("/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def picture(self, path, whole=True):
        """A screenshot of the page, below what the window shows as well."""
        size = self.run("const d = document.documentElement; return [d.clientWidth, d.scrollHeight]") if whole else None
        more = {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}} if whole else {}
        path.write_bytes(base64.b64decode(self.command("Page.captureScreenshot", format="png", **more)["data"]))
