#!/usr/bin/env python3
"""What the checks in .ci make of trees and histories that are wrong, each in one thing.

  Tests/Checks/checks_test.py
"""
import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def run(script, *arguments, **options):
    done = subprocess.run([sys.executable, os.path.join(TOP, ".ci", script), *arguments], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout + done.stderr


def write(top, path, text):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Comments(unittest.TestCase):
    def told(self, text, path="Sources/Room/A.swift"):
        with tempfile.TemporaryDirectory() as top:
            write(top, "Package.swift", "")
            write(top, path, text)
            return run("comments.py", top)

    def test_comment_that_cites_nothing_is_refused(self):
        for line in ("/// Issue 540 (), and more.", "let a = 1  // as there ()", "/// one line ()"):
            self.assertEqual(self.told(line + "\n"), (1, "Sources/Room/A.swift:1: cites nothing: ()\n"), line)

    def test_call_in_a_comment_or_a_string_cites_nothing_and_is_fine(self):
        for line in ("/// Calls `begin()`, or begin(), once.", 'let a = "// ()"', "/// A zone (`%eth0`).", "f { _ in () }"):
            self.assertEqual(self.told(line + "\n"), (0, ""), line)

    def test_section_of_a_paper_that_readers_lack_is_refused(self):
        for line, cited in (("/// The design's section", None), ("/// Shape: design, section 4.", "design, section"),
                            ("/// Not there (3.1, iOS 10 to 16).", "3.1"), ("/// Newer (C6; 4.2).", "4.2"),
                            ("// 12.2 (1.3 (inferred) before).", "1.3"), ("/// See style.md.", "style.md")):
            wanted = (0, "") if cited is None else (1, f"Sources/Room/A.swift:1: cites what readers do not have: {cited}\n")
            self.assertEqual(self.told(line + "\n"), wanted, line)

    def test_metaphor_for_a_target_is_refused(self):
        self.assertEqual(self.told("// Cellar: system libraries.\n", "Package.swift"),
                         (1, "Package.swift:1: says what no page explains: Cellar\n"))
        self.assertEqual(self.told("/// The floor of TLS 1.2.\n"), (0, ""))

    def test_section_of_a_public_paper_is_fine(self):
        for line in ("/// RFC 9113 section 8.2.2.", "/// Issues 2402 (iOS 11.2).", "/// nghttp2 (since 1.61) says so."):
            self.assertEqual(self.told(line + "\n"), (0, ""), line)

    def test_access_that_nobody_checks_needs_a_reason(self):
        marked = ("    @exclusivity(unchecked) var a = 1\n", "    nonisolated(unsafe) static let a = p\n",
                  "    unowned(unsafe) var a: B?\n", "final class A: @unchecked Sendable {}\n")
        for line in marked:
            status, said = self.told("class B {\n" + line + "}\n")
            self.assertEqual((status, said.count("nothing says why")), (1, 1), line)
            self.assertEqual(self.told("class B {\n    // Unchecked: it is a number.\n" + line + "}\n"), (0, ""), line)
            self.assertEqual(self.told("// Unchecked: another one.\n\n" + line)[0], 1, line)

    def test_tests_need_no_reason(self):
        self.assertEqual(self.told("final class A: @unchecked Sendable {}\n", "Tests/Room/A.swift"), (0, ""))


if __name__ == "__main__":
    unittest.main()
