#!/usr/bin/env python3
"""A test runner in Python that sends events to Casebook, using only the standard library.

Each function whose name starts with test_ is a test. Start it with: casebook record -- ./runner.py FILE…
"""

import json
import os
import runpy
import socket
import sys
import time
import traceback
from datetime import datetime, timezone


class Events:
    """Sends one line of JSON per event; does nothing without CASEBOOK_EVENTS."""

    def __init__(self):
        # Removed from the environment, because runners started by the tests are not part of this run.
        path = os.environ.pop("CASEBOOK_EVENTS", None)
        self.stream = None
        if path:
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            channel.connect(path)
            self.stream = channel.makefile("wb", buffering=0)

    def send(self, kind, **payload):
        if self.stream is None:
            return
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        line = json.dumps({"event_type": kind, "payload": {"time": now, **payload}})
        self.stream.write(line.encode() + b"\n")


def find(path):
    """Yields the tests of a file: identification, location and function."""
    for name, value in runpy.run_path(path).items():
        if name.startswith("test_") and callable(value):
            line = value.__code__.co_firstlineno
            identity = {
                "example_id": f"{path}::{name}",
                "description": name,
                "full_description": f"{path} {name}",
            }
            yield identity, f"{path}:{line}", value


def run(test, identity, location, events):
    """Runs a test and returns whether it passed."""
    events.send("ExampleStarted", **identity, location=location)
    started = time.monotonic()
    try:
        test()
    except Exception as error:  # a test may raise anything
        events.send(
            "ExampleFailed",
            **identity,
            location=location,
            duration=time.monotonic() - started,
            message=str(error),
            exception_class=type(error).__name__,
            backtrace=traceback.format_exc().splitlines(),
        )
        return False
    events.send("ExamplePassed", **identity, duration=time.monotonic() - started)
    return True


def main(paths):
    events = Events()
    tests = [test for path in paths for test in find(path)]
    events.send("SuiteStarted", example_count=len(tests))
    failed = 0
    for identity, location, test in tests:
        passed = run(test, identity, location, events)
        failed += not passed
        print("ok" if passed else "not ok", identity["full_description"])
    events.send("SuiteStopped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
