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


class Comments(unittest.TestCase):
    def check(self, text, path="Sources/Room/A.swift"):
        with tempfile.TemporaryDirectory() as top:
            write(top, "Package.swift", "")
            write(top, path, text)
            return run("comments.py", top)

    def test_comment_that_cites_nothing_is_refused(self):
        for line in ("/// Issue 540 (), and more.", "let a = 1  // as there ()", "/// one line ()"):
            self.assertEqual(self.check(line + "\n"), (1, "Sources/Room/A.swift:1: empty citation: ()\n"), line)

    def test_call_in_a_comment_or_a_string_cites_nothing_and_is_fine(self):
        for line in ("/// Calls `begin()`, or begin(), once.", 'let a = "// ()"', "/// A zone (`%eth0`).",
                     "f { _ in () }"):
            self.assertEqual(self.check(line + "\n"), (0, ""), line)

    def test_section_of_a_paper_that_readers_lack_is_refused(self):
        for line, cited in (("/// The design's section 5.", "The design's section"),
                            ("/// Shape: design, section 4.", "design, section"),
                            ("/// Not there (3.1, iOS 10 to 16).", "3.1"), ("/// Newer (C6; 4.2).", "4.2"),
                            ("// 12.2 (1.3 (inferred) before).", "1.3"), ("/// See style.md.", "style.md")):
            wanted = f"Sources/Room/A.swift:1: cites a document that is missing here: {cited}\n"
            self.assertEqual(self.check(line + "\n"), (1, wanted), line)

    def test_metaphor_for_a_target_is_refused(self):
        self.assertEqual(self.check("// Cellar: system libraries.\n", "Package.swift"),
                         (1, "Package.swift:1: metaphor for a target: Cellar\n"))
        self.assertEqual(self.check("/// The floor of TLS 1.2.\n"), (0, ""))

    def test_section_of_a_public_paper_is_fine(self):
        for line in ("/// RFC 9113 section 8.2.2.", "/// Issues 2402 (iOS 11.2).", "/// nghttp2 (since 1.61) says so."):
            self.assertEqual(self.check(line + "\n"), (0, ""), line)

    def test_access_that_nobody_checks_needs_a_reason(self):
        marked = ("    @exclusivity(unchecked) var a = 1\n", "    nonisolated(unsafe) static let a = p\n",
                  "    unowned(unsafe) var a: B?\n", "final class A: @unchecked Sendable {}\n")
        for line in marked:
            status, said = self.check("class B {\n" + line + "}\n")
            self.assertEqual((status, said.count("no comment says why")), (1, 1), line)
            self.assertEqual(self.check("class B {\n    // Unchecked: it is a number.\n" + line + "}\n"), (0, ""), line)
            self.assertEqual(self.check("// Unchecked: another one.\n\n" + line)[0], 1, line)
            self.assertEqual(self.check("// Unchecked: both.\n@exclusivity(unchecked) var b = 1\n" + line), (0, ""), line)

    def test_raw_buffer_is_read_by_a_checked_view(self):
        refused = "reads a raw buffer without a check: use ByteView\n"
        for text, line in (
                ("func f(_ a: UnsafeRawBufferPointer) -> UInt8 { a[0] }\n", 1),
                ("func f(\n    _ a: UnsafeRawBufferPointer, _ b: Int\n) -> UInt8 {\n    g(b)\n    return a[b]\n}\n", 5),
                ("func f() {\n    let a = UnsafeRawBufferPointer(b)\n    g(UnsafeRawBufferPointer(rebasing: a[1...]))\n}\n", 3),
                ("struct B {\n    let a: UnsafeRawBufferPointer\n\n    func f() { g(self.a[..<2]) }\n}\n", 4),
                ("func f() {\n    let a = client.inbox.bytes\n    g(a[0])\n}\n", 3),
                ("func f() { g(inbox.bytes[0]) }\n", 1)):
            self.assertEqual(self.check(text), (1, f"Sources/Room/A.swift:{line}: {refused}"), text)
        for text in ("func f(_ a: UnsafeRawBufferPointer) -> UInt8 { ByteView(a)[0] }\n",
                     "func f(_ a: UnsafeRawBufferPointer) { g(a[...]) }\n\nfunc f(_ a: [UInt8]) { g(a[0]) }\n",
                     "protocol B {\n    func f(_ a: UnsafeRawBufferPointer)\n}\n\nfunc f(_ a: [UInt8]) { g(a[0]) }\n",
                     "/// Unchecked: 0 is valid.\nfunc f(_ a: UnsafeRawBufferPointer) -> UInt8 { a[0] }\n",
                     "// Reads bytes[0] of a: UnsafeRawBufferPointer.\n"):
            self.assertEqual(self.check(text), (0, ""), text)
        self.assertEqual(self.check("func f(_ a: UnsafeRawBufferPointer) { g(a[0]) }\n", "Tests/Room/A.swift"), (0, ""))

    def test_sleep_needs_a_reason(self):
        for line in ("usleep(20)", "Thread.sleep(forTimeInterval: 1)", "try await Task.sleep(for: second)",
                     'try run("SELECT pg_catalog.pg_sleep(1)")'):
            status, said = self.check("f()\n" + line + "\n")
            self.assertEqual((status, said.count("no comment says why it sleeps")), (1, 1), line)
            self.assertEqual(self.check("// No event reports its end.\n" + line + "\n"), (0, ""), line)
            self.assertEqual(self.check(line + "  // No event reports its end.\n"), (0, ""), line)
            self.assertEqual(self.check("// No event.\nf()\n" + line + "\n")[0], 1, line)
        self.assertEqual(self.check("/// Does not sleep(1).\n"), (0, ""))

    def test_tests_need_no_reason(self):
        self.assertEqual(self.check("final class A: @unchecked Sendable {}\n", "Tests/Room/A.swift"), (0, ""))


class Architecture(unittest.TestCase):
    """The real tree, with one thing changed."""

    def check(self, path=None, old=None, new=None):
        with tempfile.TemporaryDirectory() as top:
            os.symlink(os.path.join(TOP, "Sources"), os.path.join(top, "Sources"))
            os.makedirs(os.path.join(top, "docs"))
            shutil.copy(os.path.join(TOP, "Package.swift"), top)
            shutil.copy(os.path.join(TOP, "docs", "architecture.md"), os.path.join(top, "docs"))
            if path:
                with open(os.path.join(top, path), encoding="utf-8") as file:
                    text = file.read()
                self.assertTrue(old in text, f"{path} lacks: {old}")
                write(top, path, text.replace(old, new, 1))
            return run("architecture.py", top)

    def test_page_is_that_of_the_code(self):
        self.assertEqual(self.check(), (0, ""))

    def test_arrow_that_one_of_them_lacks_is_reported(self):
        self.assertEqual(self.check("docs/architecture.md", "`Files` `Text` *CZip*", "`Text` *CZip*"),
                         (1, "docs/architecture.md: Declarations and Package.swift differ in Files\n"))
        setup = 'library("Setup", ["Text"'
        self.assertEqual(self.check("Package.swift", setup, setup + ', "Bytes"'),
                         (1, "docs/architecture.md: Setup and Package.swift differ in Bytes\n"))

    def test_target_that_imports_one_above_is_reported(self):
        status, said = self.check("docs/architecture.md", "| `Bytes` | checked reading of bytes from a network, queues of bytes, bounded caches | |\n", "")
        self.assertEqual((status, said), (1, "docs/architecture.md: lacks the target Bytes\n"))
        status, said = self.check("docs/architecture.md", "|---|---|---|\n", "|---|---|---|\n| `Text` | | `Text` |\n")
        self.assertEqual(status, 1)
        self.assertIn("Text imports Text, which is not below it", said)

    def test_file_that_is_gone_is_reported(self):
        self.assertEqual(self.check("docs/architecture.md", "`LeafMint.swift`", "`LeafBakery.swift`"),
                         (1, "docs/architecture.md: no file LeafBakery.swift\n"))

    def test_transition_that_one_of_them_lacks_is_reported(self):
        row = "| `ClientRefusal` | `LingeringClose` | the refusal is written |\n"
        self.assertEqual(self.check("docs/architecture.md", row, ""),
                         (1, "docs/architecture.md: lacks the transition from ClientRefusal to LingeringClose\n"))
        self.assertEqual(self.check("docs/architecture.md", row, row + row.replace("LingeringClose", "Relay")),
                         (1, "docs/architecture.md: no transition from ClientRefusal to Relay\n"))

    def test_event_that_one_of_them_lacks_is_reported(self):
        self.assertEqual(self.check("docs/architecture.md", "| `shed` |", "| `shod` |"),
                         (1, "docs/architecture.md: Events lack shed\n"
                          "docs/architecture.md: Events: there is no shod\n"))

    def test_page_without_its_tables_is_an_error(self):
        self.assertEqual(self.check("docs/architecture.md", "### Effects", "### Effect")[0], 2)


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


class Commits(unittest.TestCase):
    """Test histories, which add the script with their second commit."""

    GOOD = "Room: forget sessions\n\nProblem: They stayed.\n\nChange: They go.\n\nProof: sessionsGo was red."

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.top = os.path.join(self.folder.name, "tree")
        os.makedirs(self.top)
        self.git("init", "-q", "-b", "main")
        self.commit("anything")
        write(self.top, ".ci/commits.py", "")
        self.git("add", ".ci/commits.py")
        self.commit(self.GOOD)

    def git(self, *words):
        fixed = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        for who in ("AUTHOR", "COMMITTER"):
            fixed |= {f"GIT_{who}_NAME": "A", f"GIT_{who}_EMAIL": "a@example.test"}
        done = subprocess.run(["git", *words], cwd=self.top, env=os.environ | fixed, capture_output=True, text=True,
                              check=True)
        return done.stdout.strip()

    def commit(self, message):
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def check(self, message=None, top=None):
        if message:
            self.commit(message)
        return run("commits.py", top or self.top)

    def assertTold(self, message, words):
        status, said = self.check(message)
        self.assertEqual((status, said.count("\n")), (1, 1), said)
        self.assertIn(words, said)

    def test_template_is_met_from_the_script_on(self):
        self.assertEqual(self.check(), (0, ""))
        self.assertEqual(self.check(self.GOOD.replace("Room", "Room, Other")), (0, ""))
        self.assertEqual(self.check(self.GOOD.replace("forget", "shed")), (0, ""))

    def test_subject_without_a_room_is_reported(self):
        self.assertTold(self.GOOD.replace("Room: ", ""), "the subject does not match")

    def test_subject_with_a_full_stop_is_reported(self):
        self.assertTold(self.GOOD.replace("sessions", "sessions.", 1), "the subject does not match")

    def test_subject_that_is_too_long_is_reported(self):
        self.assertEqual(self.check(self.GOOD.replace("sessions", "s" * 59, 1)), (0, ""))
        self.assertTold(self.GOOD.replace("sessions", "s" * 60, 1), "the subject has 73 characters")

    def test_subject_without_an_order_is_reported(self):
        for first in ("a", "forgets", "dropped", "forgetting"):
            self.setUp()
            self.assertTold(self.GOOD.replace("forget", first), f"imperative: {first}")

    def test_body_without_its_proof_is_reported(self):
        self.assertTold(self.GOOD.replace("Proof: sessionsGo was red.", "Proof:"), "no paragraph “Proof: …”")

    def test_body_in_another_order_is_reported(self):
        self.assertTold(self.GOOD.replace("Problem", "1").replace("Change", "Problem").replace("1", "Change"), "order")

    def test_merges_and_what_began_before_are_left_out(self):
        self.git("branch", "old", "HEAD~1")
        self.git("checkout", "-q", "old")
        self.commit("whatever")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", "Merge old", "old")
        self.assertEqual(self.check(), (0, ""))

    def test_shallow_clone_has_its_newest_commit_looked_at(self):
        self.commit("whatever")
        shallow = os.path.join(self.folder.name, "shallow")
        self.git("clone", "-q", "--depth", "1", "file://" + self.top, shallow)
        status, said = self.check(top=shallow)
        self.assertEqual(status, 1)
        self.assertIn("whatever: ", said)

    def test_no_repository_is_an_error(self):
        with tempfile.TemporaryDirectory() as top:
            self.assertEqual(run("commits.py", top, env=os.environ | {"GIT_CEILING_DIRECTORIES": top})[0], 2)


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


class Rules(unittest.TestCase):
    """The result of `make rule` in a copy of the tree."""

    CHANGED = ("Sources/ATSPolicy/Rules/RuleBook.swift", "Tests/ATSPolicyTests/AppleDetailTests.swift",
               "docs/verdicts.md")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        shutil.copytree(os.path.join(TOP, "Sources/ATSPolicy"), os.path.join(self.top, "Sources/ATSPolicy"))
        for path in self.CHANGED[1:]:
            os.makedirs(os.path.dirname(os.path.join(self.top, path)))
            shutil.copy(os.path.join(TOP, path), os.path.join(self.top, path))

    def text(self, path, top=None):
        with open(os.path.join(top or self.top, path), encoding="utf-8") as file:
            return file.read()

    def begin(self, name):
        return run("rule.py", name, self.top)

    def test_rule_is_begun_in_four_places_and_is_swift(self):
        rule = "Sources/ATSPolicy/Rules/Rule+PebbleCount.swift"
        status, said = self.begin("ats.pebble-count")
        self.assertEqual(status, 0, said)
        self.assertEqual(said.splitlines()[:4], [rule, *self.CHANGED])
        self.assertIn('RuleID("ats.pebble-count", .ats)', self.text(rule))
        lines = "        .pebbleCount,", "            (.pebbleCount, -9886),", "### ats.pebble-count"
        for path, line in zip(self.CHANGED, lines):
            self.assertEqual(self.text(path).splitlines().count(line), 1, path)
            self.assertNotIn(line, self.text(path, TOP).splitlines())
        swift = [os.path.join(self.top, path) for path in (rule, *self.CHANGED[:2])]
        for command in (["swiftc", "-parse", *swift],
                        ["swift", "format", "lint", "--strict", "--configuration",
                         os.path.join(TOP, "config/swift-format.json"), *swift]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_name_that_another_category_has_is_begun_with_its_own(self):
        self.assertEqual(self.begin("trust.cipher-suite")[0], 0)
        rule = self.text("Sources/ATSPolicy/Rules/Rule+TrustCipherSuite.swift")
        self.assertIn("static let trustCipherSuite = Rule(", rule)
        topics = [line for line in self.text("docs/verdicts.md").splitlines() if line.startswith("### trust.")]
        self.assertEqual(topics[-1], "### trust.cipher-suite")

    def test_name_that_can_be_none_changes_nothing(self):
        for name in ("ats.key-size", "pebbles", "net.pebbles", "ats.", "ats.Pebbles", "ats.pebbles-", "../ats.x", ""):
            self.assertEqual(self.begin(name)[0], 64, name)
        for path in self.CHANGED:
            self.assertEqual(self.text(path), self.text(path, TOP))
        self.assertEqual(*(sorted(os.listdir(os.path.join(top, "Sources/ATSPolicy/Rules"))) for top in (self.top, TOP)))

    def test_rule_that_was_begun_is_not_begun_again(self):
        self.assertEqual(self.begin("ats.pebble-count")[0], 0)
        self.assertEqual(self.begin("ats.pebble-count"), (64, "ats.pebble-count: is already a rule\n"))


if __name__ == "__main__":
    unittest.main()
