#!/usr/bin/env python3
"""Tests of the checks in .ci, on trees and histories that each have one fault.

  Tests/Checks/checks_test.py
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def run(script, *arguments, **options):
    command = [sys.executable, os.path.join(TOP, ".ci", script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout + done.stderr


def write(top, path, text):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# Not a citation: .ci/citations.py looks for whole paths.
DOCS = "docs/"


class Unchecked(unittest.TestCase):
    def told(self, text, path="Sources/Room/A.swift"):
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
            status, text = self.told("class B {\n" + line + "}\n")
            self.assertEqual((status, text.count("no comment gives the reason: ")), (1, 1), line)
            self.assertEqual(self.told("class B {\n    // Unchecked: it is a number.\n" + line + "}\n"), (0, ""), line)
            self.assertEqual(self.told("// Unchecked: another one.\n\n" + line)[0], 1, line)
            self.assertEqual(self.told("// Unchecked: both.\n@exclusivity(unchecked) var b = 1\n" + line), (0, ""), line)

    def test_raw_buffer_is_read_by_a_checked_view(self):
        for text, line in (
                ("func f(_ a: UnsafeRawBufferPointer) -> UInt8 { a[0] }\n", 1),
                ("func f(\n    _ a: UnsafeRawBufferPointer, _ b: Int\n) -> UInt8 {\n    g(b)\n    return a[b]\n}\n", 5),
                ("func f() {\n    let a = UnsafeRawBufferPointer(b)\n    g(UnsafeRawBufferPointer(rebasing: a[1...]))\n}\n", 3),
                ("struct B {\n    let a: UnsafeRawBufferPointer\n\n    func f() { g(self.a[..<2]) }\n}\n", 4),
                ("func f() {\n    let a = client.inbox.bytes\n    g(a[0])\n}\n", 3),
                ("func f() { g(inbox.bytes[0]) }\n", 1)):
            status, found = self.told(text)
            self.assertTrue(status == 1 and found.startswith(f"Sources/Room/A.swift:{line}: use ByteView: "), text + found)
        for text in ("func f(_ a: UnsafeRawBufferPointer) -> UInt8 { ByteView(a)[0] }\n",
                     "func f(_ a: UnsafeRawBufferPointer) { g(a[...]) }\n\nfunc f(_ a: [UInt8]) { g(a[0]) }\n",
                     "protocol B {\n    func f(_ a: UnsafeRawBufferPointer)\n}\n\nfunc f(_ a: [UInt8]) { g(a[0]) }\n",
                     "/// Unchecked: 0 is valid.\nfunc f(_ a: UnsafeRawBufferPointer) -> UInt8 { a[0] }\n",
                     "// Reads bytes[0] of a: UnsafeRawBufferPointer.\n"):
            self.assertEqual(self.told(text), (0, ""), text)

    def test_sleep_needs_a_reason(self):
        for line in ("usleep(20)", "Thread.sleep(forTimeInterval: 1)", "try await Task.sleep(for: second)",
                     'try run("SELECT pg_catalog.pg_sleep(1)")'):
            status, text = self.told("f()\n" + line + "\n")
            self.assertEqual((status, text.count("reason for the sleep")), (1, 1), line)
            self.assertEqual(self.told("// No event reports its end.\n" + line + "\n"), (0, ""), line)
            self.assertEqual(self.told(line + "  // No event reports its end.\n"), (0, ""), line)
            self.assertEqual(self.told("// No event.\nf()\n" + line + "\n")[0], 1, line)
        self.assertEqual(self.told("/// Does not sleep(1).\n"), (0, ""))

    def test_store_is_read_by_its_row(self):
        self.assertEqual(self.told("let a = try Row.fetchOne(db, sql: b)\n")[0], 1)

    def test_tests_need_no_reason(self):
        self.assertEqual(self.told("final class A: @unchecked Sendable {}\n", "Tests/Room/A.swift"), (0, ""))


class Words(unittest.TestCase):
    """Trees under git, whose table has one phrase."""

    TABLE = "comments\t{}\nstrings\t0\ndocuments\t0\n\\bon top of\\b\tinstead of\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        self.git("init", "-q")
        self.commit(0)

    def git(self, *words):
        name = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *name, *words], cwd=self.top, check=True, capture_output=True)

    def commit(self, budget):
        write(self.top, ".ci/words.txt", self.TABLE.format(budget))
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty", "-m", "a budget")

    def count(self, path, text, *options):
        write(self.top, path, text)
        self.git("add", ".")
        answer = run("words.py", *options, cwd=self.top)
        os.remove(os.path.join(self.top, path))
        return answer

    def test_phrase_is_counted_in_comments_strings_and_documents_of_each_language(self):
        for kind, path, text in (
                ("comments", "Sources/A/a.swift", "let a = 1  // On top of b.\n"),
                ("comments", "Sources/A/a.swift", "/// A thing on\n    /// top of b.\n"),
                ("strings", "Tests/A/a.swift", 'f("on top of b")'),
                ("strings", "Sources/A/a.swift", 'let a = """\n    on top of b\n    """'),
                ("comments", "Sources/A/a.c", "/* on top of */"), ("strings", "Sources/A/a.js", "f('on top of b')"),
                ("comments", "Sources/A/a.sql", "-- on top of b"), ("comments", "Tests/a.sh", "f # on top of b"),
                ("strings", "Tests/a.sh", "f 'on top of b'"), ("comments", "Tests/a.py", "# on\n# top of b"),
                ("documents", "README.md", "One on\ntop of two"), ("documents", DOCS + "law/a.md", "On top of b")):
            wanted = f"phrases in {kind}: 1, allowed: 0; see .ci/words.py --list\n"
            self.assertEqual(self.count(path, text), (1, wanted), text)

    def test_code_and_other_files_are_not_counted(self):
        for path, text in (("Sources/A/a.swift", "let onTopOf = a\n// See `on top of`.\n"),
                           (DOCS + "a.md", "```\non top of\n```\n"), (DOCS + "a.json", '"on top of"'),
                           ("Sources/A/a.swift", 'let a = #/ on top of "/#'),
                           ("Tests/a.sh", "f $#on top of")):
            self.assertEqual(self.count(path, text), (0, ""), text)

    def test_list_names_the_place_and_the_advice(self):
        place = "Sources/A/a.swift:2: “on top of”: instead of\n"
        for options in (["--list"], ["--list", "top"]):
            shown = self.count("Sources/A/a.swift", "// A thing,\n// on top of b.\n", *options)[1]
            self.assertTrue(shown.startswith(place), shown)
        self.assertNotIn("a.swift", self.count("Sources/A/a.swift", "// on top of b", "--list", "other")[1])

    def test_budget_above_that_of_the_last_commit_or_its_parent_is_refused(self):
        rose = ".ci/words.txt: the budget of comments rose from 0 to 1: budgets may only fall\n"
        write(self.top, ".ci/words.txt", self.TABLE.format(1))
        self.assertEqual(self.count(DOCS + "a.md", ""), (1, rose))
        self.commit(1)
        self.assertEqual(self.count(DOCS + "a.md", ""), (1, rose))
        self.commit(1)
        self.assertEqual(self.count(DOCS + "a.md", ""), (0, ""))

    def test_lower_writes_smaller_budgets_only(self):
        self.commit(9)
        self.commit(9)
        two = "// on top of b, on top of c\n"
        self.assertEqual(self.count("Sources/A/a.swift", two, "--lower"), (0, ""))
        with open(os.path.join(self.top, ".ci/words.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.TABLE.format(2))
        self.assertEqual(self.count("Sources/A/a.swift", two + two, "--lower")[0], 1)


class Packages(unittest.TestCase):
    """A package with a file, a link to a folder, and git's own files."""

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.top = made.name
        self.package = os.path.join(self.top, "parser")
        write(self.package, "Sources/A.swift", "let a = 1\n")
        write(self.package, "Shared/B.swift", "let b = 2\n")
        write(self.package, ".git/HEAD", "1\n")
        os.symlink("../Shared", os.path.join(self.package, "Sources", "Shared"))
        write(self.top, "pins.txt", "# the packages\n")
        self.resolve("1.0.0")
        self.assertEqual(self.check("--write"), (0, ""))

    def resolve(self, version):
        one = {"identity": "parser", "version": version, "path": self.package, "dependencies": []}
        write(self.top, "graph.json", json.dumps({"dependencies": [one]}))

    def check(self, *words):
        return run("package-pins.py", *words, os.path.join(self.top, "pins.txt"), os.path.join(self.top, "graph.json"))

    def test_package_that_was_looked_at_is_fine(self):
        self.assertEqual(self.check(), (0, "packages unchanged: 1, verified against their authors' tags: 0\n"))

    def test_same_files_by_another_way_are_the_same(self):
        write(self.package, ".git/HEAD", "2\n")
        os.remove(os.path.join(self.package, "Sources", "Shared"))
        write(self.package, "Sources/Shared/B.swift", "let b = 2\n")
        self.assertEqual(self.check()[0], 0)

    def test_file_that_changed_came_or_went_under_the_same_version_is_reported(self):
        for path, text in (("Sources/A.swift", "let a = 2\n"), ("Sources/C.swift", ""), ("Shared/B.swift", "\n")):
            self.setUp()
            write(self.package, path, text)
            status, said = self.check()
            self.assertEqual(status, 1)
            self.assertTrue(said.startswith("parser 1.0.0 has changed: "), said)

    def test_other_version_and_other_package_are_reported(self):
        self.resolve("1.0.1")
        self.assertEqual(self.check(), (1, "parser is 1.0.1, not 1.0.0\n"))
        write(self.top, "pins.txt", "other 1.0.0 00 -\n")
        self.assertEqual(
            self.check(),
            (1, "other 1.0.0 is in pins.txt but not resolved\nparser 1.0.1 is not in pins.txt\n"))

    def test_line_that_says_something_else_is_an_error(self):
        write(self.top, "pins.txt", "parser 1.0.0\n")
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertIn("not four fields: parser 1.0.0", said)


if __name__ == "__main__":
    unittest.main()
