"""Runs the tests of a script and prints a line of JSON about each: its title, and the error of a failed one."""

import json
import sys
import traceback
import unittest


class LineReport(unittest.TestResult):
    def write(self, test, error=None):
        group, name = test.id().split(".")[-2:]
        title = f"{group}: {name.removeprefix('test_').replace('_', ' ')}"
        lines = error and "".join(traceback.format_exception(*error))
        print(json.dumps({"title": title, "error": lines}), flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.write(test)

    def addError(self, test, err):
        super().addError(test, err)
        self.write(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.write(test, err)


def main():
    report = LineReport()
    unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]).run(report)
    sys.exit(not report.wasSuccessful())
