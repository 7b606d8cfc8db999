# SPDX-License-Identifier: MIT
"""Controls Chromium by its protocol over a pipe, as a reader uses a page. For t/shreport-browser.py and
t/site-browser.py."""
import atexit
import json
import os
import re
import subprocess
import tempfile
import time

WIDTHS = (360, 768, 1280)


class Browser:
    def __init__(self, folder):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def place():
            # The two pipes may already have the descriptors 3 and 4.
            a, b = os.dup(to_read), os.dup(from_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
                "--user-data-dir=" + folder, "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": folder})
        os.close(to_read)
        os.close(from_write)
        self.out, self.into = os.fdopen(to_write, "wb", 0), os.fdopen(from_read, "rb")
        self.last, self.session, self.rest, self.problems, self.loaded = 0, None, b"", [], False
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.into.fileno(), 1 << 20)
            if not more:
                raise SystemExit("browser: chromium ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def event(self, message):
        method = message.get("method")
        if method in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.problems.append(message["params"])
        if method == "Page.loadEventFired":
            self.loaded = True

    def __call__(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.last:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.event(answer)

    def load(self, url):
        self.loaded = False
        begin = time.monotonic()
        self("Page.navigate", url=url)
        while not self.loaded:
            self.event(self.message())
        return time.monotonic() - begin

    def run(self, script):
        answer = self("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, selector):
        x, y = self.run("""(() => { const e = document.querySelector(%s); e.scrollIntoView({ block: 'center' });
            const r = e.getBoundingClientRect(); return [r.x + Math.min(r.width / 2, 20), r.y + r.height / 2]; })()""" % json.dumps(selector))
        for kind in "mousePressed", "mouseReleased":
            self("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        """Replaces the text in the search box. The page searches a little later."""
        self.click("#find")
        for kind in "keyDown", "keyUp":
            self("Input.dispatchKeyEvent", type=kind, key="a", code="KeyA", modifiers=2, commands=["selectAll"])
        if text:
            self("Input.insertText", text=text)
        else:
            for kind in "keyDown", "keyUp":
                self("Input.dispatchKeyEvent", type=kind, key="Backspace", code="Backspace", windowsVirtualKeyCode=8)
        assert self.run("document.getElementById('find').value") == text


def luminance(colour):
    parts = [int(x) / 255 for x in re.findall(r"\d+", colour)[:3]]
    r, g, b = (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def check_colours(ink, ground, scheme):
    """The contrast meets WCAG AA, and the ground is dark in the dark scheme only."""
    a, b = luminance(ink), luminance(ground)
    assert (max(a, b) + 0.05) / (min(a, b) + 0.05) >= 4.5, (ink, ground)
    assert (b < a) == (scheme == "dark"), (scheme, ink, ground)


def emulate(browser, width, scheme):
    browser("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
    browser("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


def views():
    """Starts a browser, and gives it at each width, light and dark, with both. Ends it, and no page had a problem."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        atexit.register(browser.process.kill)
        for width in WIDTHS:
            for scheme in "light", "dark":
                emulate(browser, width, scheme)
                yield browser, width, scheme
        assert not browser.problems, browser.problems
        browser.process.kill()
        browser.process.wait()
