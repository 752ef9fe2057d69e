#!/usr/bin/env python3
"""Tests of .ci/sizes on small trees.

  Tests/Sizes/sizes_test.py
"""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".ci", "sizes")


def sizes(files, *options):
    """Runs the script on a tree of these files: status, and output with standard error behind it."""
    with tempfile.TemporaryDirectory() as top:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
            with open(os.path.join(top, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, SCRIPT, *options, top], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def lines(count):
    return "    let a = 1\n" * count


class Limits(unittest.TestCase):
    def test_type_is_counted_with_all_its_extensions_in_its_room(self):
        parts = {f"Sources/Room/A+{n}.swift": "extension A {\n" + lines(123) + "}\n" for n in range(3)}
        at = {"Sources/Room/A.swift": "struct A {\n" + lines(123) + "}\n"} | parts
        self.assertEqual(sizes(at)[0], 0)
        over = at | {"Sources/Room/A.swift": "struct A {\n" + lines(124) + "}\n"}
        status, said = sizes(over)
        self.assertEqual(status, 1)
        self.assertIn("Sources/Room: A has 501 lines, at most 500", said)

    def test_same_name_in_another_room_is_another_type(self):
        body = "struct A {\n" + lines(280) + "}\n"
        self.assertEqual(sizes({"Sources/One/A.swift": body, "Sources/Two/A.swift": body})[0], 0)

    def test_nested_type_is_counted_by_itself_wherever_it_stands(self):
        nested = "    final class B {\n" + lines(8) + "    }\n"
        tree = {"Sources/Room/A.swift": "enum A {\n" + nested + "}\n", "Sources/Room/B.swift":
                "extension A.B {\n" + lines(3) + "}\nextension A {\n    struct C {\n    }\n}\n"}
        said = sizes(tree, "--all")[1]
        for row in ("     4 A\n", "    15 A.B\n", "     2 A.C\n"):
            self.assertIn(row, said)

    def test_file_is_measured_at_its_edge(self):
        self.assertEqual(sizes({"Sources/Room/a.swift": "\n" * 300})[0], 0)
        status, said = sizes({"Sources/Room/a.swift": "\n" * 301})
        self.assertEqual(status, 1)
        self.assertIn("Sources/Room/a.swift: 301 lines, at most 300", said)
        self.assertEqual(sizes({"Sources/Room/a.swift": "\n" * 299 + "let a = 1"})[0], 0)

    def test_initialiser_of_sources_takes_eight_parameters(self):
        def tree(count, folder="Sources"):
            given = ", ".join(f"p{n}: [Int: (A<B, C>, D)] = [:]" for n in range(count))
            return {f"{folder}/Room/A.swift": "extension A {\n    struct B {\n        init<T>(" + given + ") {}\n    }\n}\n"}
        self.assertEqual(sizes(tree(0))[0], 0)
        self.assertEqual(sizes(tree(8))[0], 0)
        status, said = sizes(tree(9))
        self.assertEqual(status, 1)
        self.assertIn("Sources/Room/A.swift:3: A.B.init takes 9 parameters, at most 8", said)
        self.assertEqual(sizes(tree(9, "Tests"))[0], 0)

    def test_folder_is_counted_at_its_edge_without_those_in_it(self):
        tree = {f"Sources/Room/A{n}.swift": "let a = 1\n" for n in range(40)} | {"Sources/Room/In/B.swift": "let b = 1\n"}
        self.assertEqual(sizes(tree)[0], 0)
        status, said = sizes(tree | {"Sources/Room/C.swift": "let c = 1\n"})
        self.assertEqual(status, 1)
        self.assertIn("Sources/Room: 41 files, at most 40", said)
        self.assertEqual(sizes({path.replace("Sources", "Tests"): text for path, text in tree.items()}
                               | {"Tests/Room/C.swift": "let c = 1\n"})[0], 0)

    def test_long_function_is_listed_and_fails_nothing(self):
        tree = {"Sources/Room/A.swift": "struct A {\n    func short() {\n" + lines(38) + "    }\n"
                "    init(a: () -> Void = {}) {\n" + lines(39) + "    }\n    var long: Int {\n" + lines(39) + "    }\n}\n"}
        status, said = sizes(tree)
        self.assertEqual(status, 0)
        self.assertIn("41 Sources/Room/A.swift:42: A.init\n", said)
        self.assertIn("41 Sources/Room/A.swift:83: A.long\n", said)
        self.assertNotIn("A.short", said)


class RealSwift(unittest.TestCase):
    def test_braces_in_comments_and_literals_are_none(self):
        body = r'''
        // { not here
        /* nor { /* here { */ { */
        let a = "{ \" { \\"
        let b = #"{ \" { "#
        let c = """
            { " {
            """
        let d = "\(list.map { "\($0) {" }.joined(separator: ")"))"
        let e = text.firstMatch(of: /^"{\/{2}/)
        let f = #/{"/{/#
        let g = (1 / 2) / 3 // } a division is no regular expression
        let h = #"\#(a.map { "}" }) \(b {"#
'''
        status, said = sizes({"Sources/Room/A.swift": "struct A {" + body + "}\nstruct B {\n}\n"}, "--all")
        self.assertEqual(status, 0, said)
        self.assertIn(f"{body.count(chr(10)) + 1:10} A\n", said)
        self.assertIn("     2 B\n", said)

    def test_words_of_declarations_elsewhere_declare_nothing(self):
        body = """    class func a() {}
    class var b: Int { 1 }
    let c = A.self
    let d = kind == .class ? 1 : 2
    func e() where T: Sequence { let `struct` = 1 }
    static let f = [1].map { $0 }
"""
        said = sizes({"Sources/Room/A.swift": "class A<T> {\n" + body + "}\n"}, "--all")[1]
        types = said.split("Sources/Room/A.swift\n")[1].split("\n\n")[0]
        self.assertEqual(types.strip(), "8 A")

    def test_what_is_no_swift_is_told_with_its_place(self):
        for text, words in [("struct A {\n", "line 1: unclosed brace"), ("}\n", "line 1: unmatched closing brace"),
                            ('let a = "\n', "line 1: a string does not end"), ("/* /* */\n", "comment does not end")]:
            status, said = sizes({"Sources/Room/A.swift": text})
            self.assertEqual(status, 2)
            self.assertIn("Sources/Room/A.swift: ", said)
            self.assertIn(words, said)


class Circles(unittest.TestCase):
    def told(self, **files):
        said = sizes({f"Sources/Room/{name}.swift": text for name, text in files.items()})[1]
        return "\n".join(row.strip() for row in said.splitlines() if row.startswith("    Sources/Room: "))

    def test_files_that_name_each_others_types_are_a_circle(self):
        self.assertEqual(
            self.told(A="struct A { let b: B }", B="struct B { let c: [C] }", C="enum C { case a(A) }", D="let d: A"),
            "Sources/Room: 3 of 4: A.swift, B.swift, C.swift")

    def test_private_type_and_label_of_a_parameter_are_no_type_of_another_file(self):
        self.assertEqual(
            self.told(A="struct A { let b: B; struct Mark {} }", B="struct B { private struct Mark {}; let m: Mark }"), "")
        self.assertEqual(
            self.told(A="struct A { let name = 1 }", B="struct B { func a(in a: A, class name: Int) {} }"), "")

    def test_one_way_is_no_circle(self):
        self.assertEqual(self.told(A="struct A { let b: B }", B="struct B {}", C="extension A { var c: B { b } }"), "")

    def test_comments_and_private_types_need_nobody(self):
        self.assertEqual(self.told(A="struct A { let b: B }", B="/// As ``A``.\nstruct B { let a = \"A\" }"), "")
        self.assertEqual(
            self.told(A="struct A { let b: B }\nprivate struct C {}", B="struct B { let c: C }\nprivate struct C {}"), "")


if __name__ == "__main__":
    unittest.main()
