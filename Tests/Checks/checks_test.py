#!/usr/bin/env python3
"""Tests of .ci/unchecked.sh, on trees that each have one fault.

  Tests/Checks/checks_test.py
"""
import os
import subprocess
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def write(top, path, text):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Unchecked(unittest.TestCase):
    def outcome(self, text, path="Sources/Room/A.swift"):
        with tempfile.TemporaryDirectory() as top:
            write(top, "Sources/Room/B.swift", "")
            write(top, path, text)
            done = subprocess.run(
                [os.path.join(TOP, ".ci", "unchecked.sh"), top], capture_output=True, text=True, check=False)
            return done.returncode, done.stderr

    def test_access_that_no_compiler_checks_needs_a_reason(self):
        marked = ("    @exclusivity(unchecked) var a = 1\n", "    nonisolated(unsafe) static let a = p\n",
                  "    unowned(unsafe) var a: B?\n", "final class A: @unchecked Sendable {}\n")
        for line in marked:
            status, text = self.outcome("class B {\n" + line + "}\n")
            self.assertEqual((status, text.count("no comment gives the reason: ")), (1, 1), line)
            self.assertEqual(self.outcome("class B {\n    // Unchecked: it is a number.\n" + line + "}\n"), (0, ""), line)
            self.assertEqual(self.outcome("// Unchecked: another one.\n\n" + line)[0], 1, line)
            self.assertEqual(self.outcome("// Unchecked: both.\n@exclusivity(unchecked) var b = 1\n" + line), (0, ""), line)

    def test_raw_buffer_is_read_by_a_checked_view(self):
        for text, line in (
                ("func f(_ a: UnsafeRawBufferPointer) -> UInt8 { a[0] }\n", 1),
                ("func f(\n    _ a: UnsafeRawBufferPointer, _ b: Int\n) -> UInt8 {\n    g(b)\n    return a[b]\n}\n", 5),
                ("func f() {\n    let a = UnsafeRawBufferPointer(b)\n    g(UnsafeRawBufferPointer(rebasing: a[1...]))\n}\n", 3),
                ("struct B {\n    let a: UnsafeRawBufferPointer\n\n    func f() { g(self.a[..<2]) }\n}\n", 4),
                ("func f() {\n    let a = client.inbox.bytes\n    g(a[0])\n}\n", 3),
                ("func f() { g(inbox.bytes[0]) }\n", 1)):
            status, found = self.outcome(text)
            self.assertTrue(status == 1 and found.startswith(f"Sources/Room/A.swift:{line}: use ByteView: "), text + found)
        for text in ("func f(_ a: UnsafeRawBufferPointer) -> UInt8 { ByteView(a)[0] }\n",
                     "func f(_ a: UnsafeRawBufferPointer) { g(a[...]) }\n\nfunc f(_ a: [UInt8]) { g(a[0]) }\n",
                     "protocol B {\n    func f(_ a: UnsafeRawBufferPointer)\n}\n\nfunc f(_ a: [UInt8]) { g(a[0]) }\n",
                     "/// Unchecked: 0 is valid.\nfunc f(_ a: UnsafeRawBufferPointer) -> UInt8 { a[0] }\n",
                     "// Reads bytes[0] of a: UnsafeRawBufferPointer.\n"):
            self.assertEqual(self.outcome(text), (0, ""), text)

    def test_sleep_needs_a_reason(self):
        for line in ("usleep(20)", "Thread.sleep(forTimeInterval: 1)", "try await Task.sleep(for: second)",
                     'try run("SELECT pg_catalog.pg_sleep(1)")'):
            status, text = self.outcome("f()\n" + line + "\n")
            self.assertEqual((status, text.count("reason for the sleep")), (1, 1), line)
            self.assertEqual(self.outcome("// No event reports its end.\n" + line + "\n"), (0, ""), line)
            self.assertEqual(self.outcome(line + "  // No event reports its end.\n"), (0, ""), line)
            self.assertEqual(self.outcome("// No event.\nf()\n" + line + "\n")[0], 1, line)
        self.assertEqual(self.outcome("/// Does not sleep(1).\n"), (0, ""))

    def test_store_is_read_by_its_row(self):
        self.assertEqual(self.outcome("let a = try Row.fetchOne(db, sql: b)\n")[0], 1)

    def test_tests_need_no_reason(self):
        self.assertEqual(self.outcome("final class A: @unchecked Sendable {}\n", "Tests/Room/A.swift"), (0, ""))


if __name__ == "__main__":
    unittest.main()
