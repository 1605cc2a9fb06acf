#!/usr/bin/env python3
"""Opens a page in headless Firefox and tells it what to do by Marionette, Firefox's own protocol: JSON, after its
length, over a local socket.

    firefox.py URL          waits until #said ends with "end", and prints #said
    firefox.py URL KEY...   waits until the page is ready, types each key as a person does, and prints #now after it

A key is a name of NAMES or a character, after "Shift+" or not. Complaints of Firefox follow, each after "CONSOLE".
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

NAMES = {"F10": "\ue03a", "F11": "\ue03b", "Home": "\ue011", "End": "\ue010", "Space": " "}
SHIFT = "\ue008"
PREFERENCES = {"marionette.port": 0, "datareporting.policy.dataSubmissionEnabled": False, "app.update.auto": False}
PATIENCE = 300  # seconds; a busy machine takes minutes to load many pages


def wait_for(what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = what()
        if value:
            return value
        time.sleep(.05)
    sys.exit("firefox.py: Firefox takes too long")


class Firefox:
    def __init__(self, profile):
        self.port_file = f"{profile}/MarionetteActivePort"
        with open(f"{profile}/user.js", "w") as file:
            file.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile],
            env={**os.environ, "HOME": profile}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.socket = socket.create_connection(("127.0.0.1", wait_for(self.port)))
        self.answers = self.socket.makefile("rb")
        self.answer()
        self.do("WebDriver:NewSession", capabilities={})

    def port(self):
        try:
            with open(self.port_file) as file:
                return int(file.read())
        except (OSError, ValueError):
            return 0

    def answer(self):
        size = b""
        while not size.endswith(b":"):
            byte = self.answers.read(1)
            if not byte:
                sys.exit("firefox.py: Firefox ended")
            size += byte
        return json.loads(self.answers.read(int(size[:-1])))

    def do(self, command, **arguments):
        message = json.dumps([0, 1, command, arguments]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, value = self.answer()
        if error:
            sys.exit(f"firefox.py: {command}: {error['message']}")
        return value

    def ask(self, script):
        return self.do("WebDriver:ExecuteScript", script=f"return {script}", args=[])["value"]

    def type(self, key):
        name = key.removeprefix("Shift+")
        keys = [SHIFT] * (name != key) + [NAMES.get(name, name)]
        actions = [{"type": "keyDown", "value": k} for k in keys] + [{"type": "keyUp", "value": k} for k in reversed(keys)]
        self.do("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def complaints(self):
        self.do("Marionette:SetContext", value="chrome")
        messages = self.ask("Services.console.getMessageArray().map(String)")
        return [text for text in messages if "file:///" in text]

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # its children, too, before the profile's folder goes
        self.process.wait()


def main(url, keys):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        firefox = Firefox(profile)
        try:
            firefox.do("WebDriver:Navigate", url=url)
            if keys:
                wait_for(lambda: firefox.ask("document.body.dataset.ready"))
            else:
                wait_for(lambda: firefox.ask("said.textContent.endsWith('end\\n')"))
                print(firefox.ask("said.textContent"), end="")
            for key in keys:
                firefox.type(key)
                print(f"{key}: {firefox.ask('now.textContent')}")
            for text in firefox.complaints():
                print("CONSOLE", text)
        finally:
            firefox.end()


main(sys.argv[1], sys.argv[2:])
