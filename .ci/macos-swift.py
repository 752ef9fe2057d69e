#!/usr/bin/env python3
"""Compiles the Swift targets for macOS 15 on Linux, up to the point where code would be generated.

usage: macos-swift.py [--all]    all targets of Sources and shared folders of Tests, and those files of test targets
                                 that contain a condition or import C; --all: all files of test targets

.ci/macosmodules.py makes the modules of macOS, from the headers that `.ci/install.sh macos` installs and from the
toolchain's interfaces. docs/macos.md lists the mistakes that this cannot find.

Warnings are errors, because .ci/run treats them so on a Mac. Targets are compiled two at a time, and only if they,
their dependencies or the compiler changed: .build/macos-swift keeps the results. At the end, small programs with
typical mistakes must be refused, and one without mistakes accepted.
Exit: 0; 1 with the compiler's output if a target does not compile; 2 if the check itself does not work.
"""
import concurrent.futures
import json
import os
import re
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import macosmodules as macos  # noqa: E402, from the folder of this script

# Files of test targets in which a mistake can remain unnoticed on Linux: they have a condition, or import C or a module
# that only one system has.
SYSTEM = re.compile(r"^\s*#(?:if|elseif) |\bimport (?:CPoll|CCapture|Darwin|Foundation(?:Networking|XML)|Glibc)\b", re.M)
# Warnings of the module CDispatch are the exception: it is compiled without Objective-C.
STRICT = "-swift-version 6 -package-name atsgate -enable-testing -warnings-as-errors -Wwarning ClangDeclarationImport"
# The compiler's expected answer (none: it must accept the program), and the program.
CANARIES = [
    ("", """import Darwin
import Foundation
#if os(Linux) || !os(macOS) || !canImport(Darwin) || canImport(Glibc) || canImport(FoundationEssentials)
#error("this is not macOS")
#endif
func connected() -> Int32 { Darwin.socket(AF_INET, SOCK_STREAM, 0) }
func size(_ path: String) throws -> Any? { try FileManager.default.attributesOfItem(atPath: path)[.size] }
func mode() -> UInt16 { S_IFREG | mode_t(0o600) }"""),
    ("no such module 'FoundationXML'", "import FoundationXML"),
    ("no such module 'Glibc'", "import Glibc"),
    ("has no member 'rawValue'", "import Darwin\nlet one = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)"),
    ("cannot find 'epoll_create1'", "import Darwin\nlet one = epoll_create1(0)"),
    ("only available in macOS 26", "func one(_ many: InlineArray<2, Int>) {}"),
    ("has no member 'missing'", "import Foundation\nlet one = FileManager.default.missing"),
    ("is not concurrency-safe", "import Foundation\nlet one: FileManager = .default"),
    ("before being initialized", "func one() -> Int {\n    let two: Int\n    return two\n}"),
    ("was never used", "func one() { let two = 2 }"),
]


class Target:
    """A Swift target of this package. Nothing imports a test target, so its files are only type-checked."""

    def __init__(self, found, all_files):
        self.name, self.test = found["name"], found["type"] == "test"
        folder = Path(found.get("path") or Path("Tests" if self.test else "Sources", self.name))
        left_out = [folder / name for name in found["exclude"]]
        self.files = sorted(file for file in folder.rglob("*.swift")
                            if not any(one == file or one in file.parents for one in left_out))
        self.checked = [file for file in self.files if not self.test or all_files or SYSTEM.search(file.read_text())]
        self.needs = {next(iter(one.values()))[0] for one in found["dependencies"]}
        kinds = [setting["kind"] for setting in found["settings"]]
        self.options = [word for kind in kinds if "enableUpcomingFeature" in kind
                        for word in ("-enable-upcoming-feature", kind["enableUpcomingFeature"]["_0"])]
        self.options += [] if any(file.name == "main.swift" for file in self.files) else ["-parse-as-library"]

    def key(self, headers, keys):
        """A digest of all that the result depends on."""
        return macos.digest(STRICT, headers, self.options, self.checked, *map(keys.get, sorted(self.needs)),
                            *(part for file in self.files for part in (file, file.read_bytes())))

    def compile(self, compiler):
        if self.test:
            words = ["-typecheck"]
            for file in self.files:
                words += ["-primary-file", file] if file in self.checked else [file]
        else:
            module = compiler.folder / f"modules/{self.name}.swiftmodule"
            words = ["-emit-sil", "-o", "/dev/null", "-emit-module-path", module, *self.files]
        done = compiler.run(*STRICT.split(), "-module-name", self.name, *self.options, *words)
        print(done.stderr, end="", file=sys.stderr, flush=True)
        return done.returncode == 0


def in_order(needs, job):
    """Runs job(name) for all names, two at a time, each after those that it needs. Returns the names whose job failed,
    and the names that need one of them."""
    waiting, running, done, failed = dict(needs), {}, set(), set()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        while True:
            for name in [name for name in waiting if waiting[name] <= done]:
                del waiting[name]
                running[pool.submit(job, name)] = name
            if not running:
                return failed, set(waiting)
            for ended in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                (done if ended.result() else failed).add(running.pop(ended))


def try_canaries(compiler):
    for number, (answer, text) in enumerate(CANARIES):
        file = compiler.folder / f"texts/canary{number}.swift"
        file.write_text(text + "\n")
        done = compiler.run("-emit-sil", "-o", "/dev/null", *STRICT.split(), "-module-name", "canary",
                            "-parse-as-library", file)
        if answer not in done.stderr or bool(done.returncode) != bool(answer):
            expected = f"refused with “{answer}”" if answer else "accepted"
            raise macos.Broken(f"this program must be {expected}:\n{text}\n"
                               f"but the answer is:\n{done.stderr or 'accepted'}")


def swift_targets(package, all_files):
    """The targets with files to compile. Each Swift file of Sources must belong to one."""
    targets = [Target(one, all_files) for one in package["targets"]]
    lost = set(Path("Sources").rglob("*.swift")).difference(*(target.files for target in targets))
    if lost:
        raise macos.Broken(f"files of no target: {', '.join(sorted(map(str, lost)))}")
    return {target.name: target for target in targets if target.checked}


def main(arguments):
    os.chdir(Path(__file__).resolve().parent.parent)
    begun = time.monotonic()
    compiler = macos.Compiler()
    if not all((macos.CHECKOUTS / folder).is_dir() for folder, _ in macos.PACKAGES.values()):
        macos.output("swift", "package", "resolve")
    # In its own folder, because a build may have locked .build.
    manifest = macos.output("swift", "package", "--scratch-path", compiler.folder / "manifest", "dump-package")
    package = json.loads(manifest)
    targets = swift_targets(package, "--all" in arguments)
    macos.prepare_headers(compiler)
    headers = macos.prepare_c_modules(compiler, package["targets"])
    compiler.kept("system", compiler.key, lambda: macos.compile_system(compiler))
    keys = dict.fromkeys(macos.PACKAGES, compiler.key)

    def job(name):
        if name in macos.PACKAGES:
            return compiler.kept(name, compiler.key, lambda: macos.compile_package(compiler, name))
        keys[name] = targets[name].key(headers, keys)
        return compiler.kept(name, keys[name], lambda: targets[name].compile(compiler))

    needs = {name: {"ArgumentParserToolInfo"} if name == "ArgumentParser" else set() for name in macos.PACKAGES}
    needs.update({name: target.needs & (targets.keys() | needs.keys()) for name, target in targets.items()})
    failed, unchecked = in_order(needs, job)
    if failed:
        others = f"; not compiled, because they need these: {', '.join(sorted(unchecked))}" if unchecked else ""
        print(f"macos-swift: do not compile for macOS: {', '.join(sorted(failed))}{others}", file=sys.stderr)
        return 1
    try_canaries(compiler)
    tests = [target for target in targets.values() if target.test]
    files = sum(len(target.files) for target in targets.values() if not target.test)
    print(f"Swift compiles for macOS: {len(targets) - len(tests)} targets with {files} files, and "
          f"{sum(len(target.checked) for target in tests)} files of {len(tests)} test targets, "
          f"with {len(CANARIES)} canaries in {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except macos.Broken as error:
        print(f"macos-swift: the check does not work: {error}", file=sys.stderr)
        sys.exit(2)
