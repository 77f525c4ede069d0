#!/usr/bin/env python3
"""A test runner in Python that tells Casebook what it does, with nothing but the standard library.

Each function of a file whose name begins with test_ is a test. Start it with: casebook record -- ./runner.py FILE…
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
    """One line of JSON per event. Without CASEBOOK_EVENTS nobody listens, and nothing is told."""

    def __init__(self):
        # Taken out of the environment: runners that the tests start are no part of this run.
        path = os.environ.pop("CASEBOOK_EVENTS", None)
        self.stream = None
        if path:
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            channel.connect(path)
            self.stream = channel.makefile("wb", buffering=0)

    def tell(self, kind, **payload):
        if self.stream is None:
            return
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        line = json.dumps({"event_type": kind, "payload": {"time": now, **payload}})
        self.stream.write(line.encode() + b"\n")


def find(path):
    """The tests of a file: what tells them apart, and the function."""
    for name, value in runpy.run_path(path).items():
        if name.startswith("test_") and callable(value):
            line = value.__code__.co_firstlineno
            who = {
                "example_id": f"{path}::{name}",
                "description": name,
                "full_description": f"{path} {name}",
            }
            yield who, f"{path}:{line}", value


def run(test, who, place, events):
    """Whether the test has passed."""
    events.tell("ExampleStarted", **who, location=place)
    started = time.monotonic()
    try:
        test()
    except Exception as error:  # a test may fail in any way
        events.tell(
            "ExampleFailed",
            **who,
            location=place,
            duration=time.monotonic() - started,
            message=str(error),
            exception_class=type(error).__name__,
            backtrace=traceback.format_exc().splitlines(),
        )
        return False
    events.tell("ExamplePassed", **who, duration=time.monotonic() - started)
    return True


def main(paths):
    events = Events()
    tests = [test for path in paths for test in find(path)]
    events.tell("SuiteStarted", example_count=len(tests))
    failed = 0
    for who, place, test in tests:
        passed = run(test, who, place, events)
        failed += not passed
        print("ok" if passed else "not ok", who["full_description"])
    events.tell("SuiteStopped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
