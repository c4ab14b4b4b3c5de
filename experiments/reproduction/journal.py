"""The measurements so far, one JSON line per finished command, so that an interrupted run can continue.

A command is identified by its arguments and by the content of the network that it names: after a change of the network
it is measured again. A line that was cut short by a kill is ignored.
"""

import hashlib
import json
import pathlib
import threading


class Journal:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.lock = threading.Lock()
        self.known = {}
        self.hashes = {}
        whole = b""
        if self.path.exists():
            raw = self.path.read_bytes()
            whole = raw[: raw.rfind(b"\n") + 1]
            if whole != raw:
                self.path.write_bytes(whole)
        for line in whole.splitlines():
            entry = json.loads(line)
            self.known[entry["key"]] = entry["lines"]

    def key(self, arguments, network):
        return json.dumps([self.hash_of(network), *arguments])

    def hash_of(self, path):
        with self.lock:
            if path not in self.hashes:
                self.hashes[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]
            return self.hashes[path]

    def find(self, key):
        return self.known.get(key)

    def add(self, key, lines):
        with self.lock:
            self.known[key] = lines
            with open(self.path, "a") as file:
                file.write(json.dumps({"key": key, "lines": lines}) + "\n")
