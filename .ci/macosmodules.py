"""The modules of macOS for Swift, made on Linux for .ci/macos-swift.py.

C comes from the headers of macOS in Zig's package. Swift comes from the interfaces in the toolchain, with macOS as
their target. The toolchain has no interface of Foundation and Dispatch, but prints one; declarations that do not
compile again are dropped, and their number and digest must be the expected ones.
"""
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

KEPT, ZIG, DECLARATIONS = Path(".build/macos-swift"), Path(".build/zig"), Path(".ci/macos")
HEADERS = ZIG / "ziglang/lib/libc/include/any-macos-any"
CHECKOUTS = Path(".build/checkouts")
# Folders with headers of the module Darwin, and the headers there that belong to others or need a special macro.
FOLDERS = ["", "arpa", "mach", "mach-o", "malloc", "net", "netinet", "sys"]
OTHERS = {"MacTypes.h", "iconv.h", "launch.h", "tgmath.h", "ucontext.h", "sys/ucontext.h", "zconf.h", "zlib.h"}
LIBRARIES = ["nghttp2", "openssl", "qrencode.h", "sqlite3.h", "zip.h", "zipconf.h"]
FOUNDATION = ["Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationXML",
              "FoundationNetworking"]
# The number and digest of the printed declarations that are dropped. Most are styles of dates and numbers, which no
# target uses. With another compiler they may differ.
DROPPED = {"Dispatch": "0 e3b0c44298fc1c14", "Foundation": "39 fcb8559cbd215516"}
# Declarations that differ on macOS. FileManager: swiftlang/swift-foundation#1710.
DIFFERENT = {
    "open class FileManager : @unchecked Swift.Sendable {": "open class FileManager {",
    "DispatchSourceHandler = @convention(block) (": "DispatchSourceHandler = @convention(block) @Sendable (",
    "struct DispatchWorkItemFlags : ": "struct DispatchWorkItemFlags : Sendable, ",
}
# Packages: module, folder of its checkout, options.
PACKAGES = {
    "Logging": ("swift-log/Sources/Logging", "-swift-version 6"),
    "ArgumentParserToolInfo": ("swift-argument-parser/Sources/ArgumentParserToolInfo", "-swift-version 5"),
    "ArgumentParser": ("swift-argument-parser/Sources/ArgumentParser", "-swift-version 5"),
    "Mustache": ("swift-mustache/Sources/Mustache", "-swift-version 5"),
    "SwiftCSV": ("SwiftCSV/SwiftCSV", "-swift-version 5"),
    "GRDB": ("GRDB.swift/GRDB", "-swift-version 6 -D SQLITE_ENABLE_FTS5 -D SQLITE_ENABLE_SNAPSHOT"),
}
# For imported modules: it takes an eighth of the time, and callers do not need the bodies.
SKIP = "-experimental-skip-all-function-bodies"


class Broken(Exception):
    """The check itself does not work."""


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"{' '.join(map(str, command))}:\n{done.stderr}")
    return done.stdout


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        whole.update(b"%d:%s" % (len(part), part))
    return whole.hexdigest()[:16]


class Compiler:
    """The compiler, and the folder of its results, which is named after all that the modules of macOS depend on."""

    def __init__(self):
        found = json.loads(output("swiftc", "-print-target-info"))
        self.library, self.linux = Path(found["paths"]["runtimeResourcePath"]), found["target"]["moduleTriple"]
        self.programs = self.library.parent.parent / "bin"
        self.machine = self.linux.split("-")[0].replace("aarch64", "arm64")
        if not HEADERS.is_dir():
            raise Broken(f"{HEADERS} is missing; .ci/install.sh macos installs it")
        files = [Path(__file__), Path("THIRD-PARTY.md"), *sorted(DECLARATIONS.iterdir())]
        versions = [found["compilerVersion"], *sorted(ZIG.glob(".[0-9]*"))]
        self.key = digest(*versions, *(file.read_bytes() for file in files))
        self.folder = KEPT / self.key
        for other in KEPT.glob("*"):
            if other != self.folder:
                shutil.rmtree(other)
        for name in ("sdk/usr/include", "resources/macosx", "modules", "texts", "keys"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.options = ["-target", f"{self.machine}-apple-macosx15.0", "-disable-objc-interop",
                        "-resource-dir", self.folder / "resources", "-sdk", self.folder / "sdk",
                        "-module-cache-path", self.folder / "cache", "-I", self.folder / "modules"]
        for macros in ("SwiftMacros", "TestingMacros"):
            self.options += ["-load-plugin-library", self.library / f"host/plugins/lib{macros}.so"]

    def run(self, *arguments):
        command = [self.programs / "swift-frontend", *arguments, *self.options]
        return subprocess.run(command, capture_output=True, text=True)

    def kept(self, name, key, make):
        """Runs make() unless it succeeded before with the same key."""
        file = self.folder / "keys" / name
        if file.exists() and file.read_text() == key:
            return True
        file.unlink(missing_ok=True)
        if make() is False:
            return False
        file.write_text(key)
        return True

    def interface(self, name, text):
        """Compiles a Swift interface into a module of macOS."""
        file = self.folder / f"texts/{name}.swiftinterface"
        folder = self.folder / f"resources/macosx/{name}.swiftmodule"
        file.write_text(text)
        folder.mkdir(exist_ok=True)
        standard = ["-parse-stdlib"] if " -parse-stdlib " in text[:4000] else []
        return self.run("-compile-module-from-interface", file, "-module-name", name, "-suppress-warnings",
                        "-disable-availability-checking", *standard,
                        "-o", folder / f"{self.machine}-apple-macos.swiftmodule")

    def need(self, name, done):
        if done.returncode:
            raise Broken(f"the module {name} does not compile:\n{done.stderr[:3000]}")


def link(target, at):
    if not at.is_symlink():
        at.symlink_to(Path(target).absolute())


def prepare_headers(compiler):
    """The headers of macOS as an SDK, and those of the libraries that targets use."""
    sdk = compiler.folder / "sdk/usr/include"
    for entry in HEADERS.iterdir():
        link(entry, sdk / entry.name)
    files = [(Path(folder) / file.name) for folder in FOLDERS for file in sorted((HEADERS / folder).glob("[!_]*.h"))]
    modules = {"Darwin": [file for file in files if str(file) not in OTHERS], "CDispatch": ["dispatch/dispatch.h"],
               "os": ["os/lock.h"]}
    (sdk / "module.modulemap").write_text("".join(
        f"module {name} [system] [extern_c] {{\n{headers}  export *\n}}\n" for name, headers in
        ((name, "".join(f'  header "{file}"\n' for file in files)) for name, files in modules.items())))
    for name in ("shims", "clang", "apinotes", "host"):
        link(compiler.library / name, compiler.folder / "resources" / name)
    for system in (Path("/usr/include"), *sorted(Path("/usr/include").glob("*-linux-gnu*"))):
        folder = compiler.folder / "libraries" / system.name
        folder.mkdir(parents=True, exist_ok=True)
        for name in LIBRARIES:
            if (system / name).exists():
                link(system / name, folder / name)
        compiler.options += ["-Xcc", f"-I{folder}"]


def prepare_c_modules(compiler, targets):
    """Maps of the modules in C; returns a digest of their headers."""
    header = (CHECKOUTS / "GRDB.swift/Sources/GRDBSQLite/shim.h").absolute()
    maps = {"GRDBSQLite": f'module GRDBSQLite [system] {{ header "{header}" export * }}\n'}
    found = []
    for name in (target["name"] for target in targets if target["name"].startswith("C")):
        folder = Path("Sources", name).absolute()
        if (folder / "module.modulemap").exists():
            found.append(folder / "module.modulemap")
        elif (folder / "include").is_dir():
            maps[name] = f'module {name} {{ umbrella "{folder}/include" export * }}\n'
    for name, text in maps.items():
        found.append(compiler.folder / f"texts/{name}.modulemap")
        found[-1].write_text(text)
    compiler.options += [word for file in found for word in ("-Xcc", f"-fmodule-map-file={file}")]
    return digest(*(file.read_bytes() for file in sorted([*found, *Path("Sources").glob("C*/**/*.h")])))


def from_toolchain(compiler, name):
    """An interface of the toolchain, for macOS."""
    folder = compiler.library / f"linux/{name}.swiftmodule"
    file = folder / f"{compiler.linux}.private.swiftinterface"
    text = (file if file.exists() else folder / f"{compiler.linux}.swiftinterface").read_text()
    text = re.sub(r"@backDeployed\(before:[^)]*\)", "", text.replace(f"-target {compiler.linux}", SKIP, 1))
    return text.replace("import Glibc", "import Darwin").replace("FoundationEssentials", "Foundation")


def darwin(compiler):
    """The Swift part of Darwin: that of Glibc with the errors of macOS, and a few declarations more."""
    text = from_toolchain(compiler, "Glibc").replace("-module-name Glibc", "-module-name Darwin")
    text = text.replace("import SwiftGlibc", "import Darwin").replace("__sighandler_t", "sig_t")
    text = re.sub(r"\b(?:SwiftGlibc|SwiftOverlayShims|Glibc)\.", "", text)
    errors = set(re.findall(r"#define\s+(E\w+)", (HEADERS / "sys/errno.h").read_text()))
    text = re.sub(r"^ *case (E\w+)\n", lambda case: case.group() if case.group(1) in errors else "", text, flags=re.M)
    return text + (DECLARATIONS / "Darwin.swiftinterface").read_text()


def written(name, text):
    """An interface with these declarations."""
    features = ["LifetimeDependence", "Lifetimes", "InoutLifetimeDependence", "NonescapableTypes",
                "LifetimeDependenceMutableAccessors"]
    options = " ".join(f"-enable-experimental-feature {feature}" for feature in features)
    return ("// swift-interface-format-version: 1.0\n// swift-compiler-version: Swift version 6.3\n"
            f"// swift-module-flags: -enable-library-evolution -swift-version 5 {SKIP} {options} -module-name {name}\n"
            f"import Darwin\nimport Synchronization\nimport _Concurrency\nimport _StringProcessing\n{text}")


ATTRIBUTES = re.compile(r"\s*(?:@\w+(?:\(.*\))?\s*)+")


def printed(compiler, modules):
    """The printed declarations of modules, as an interface would have them. Of two with one name, the first remains."""
    lines, attributes, seen, skipped = [], [], set(), False
    for module in modules:
        text = output(compiler.programs / "swift-synthesize-interface", "-module-name", module, "-o", "-",
                      "-target", compiler.linux, "-resource-dir", compiler.library, "-I", compiler.library,
                      "-print-fully-qualified-types", "-module-cache-path", compiler.folder / "linux")
        for line in re.findall(r"^(?!import |\s*//|\s*$).*", text, re.M):
            if ATTRIBUTES.fullmatch(line):
                attributes.append(line)
                continue
            if line[0] not in " }":
                named = re.match(r"(?:(?:@\S+|\w+) )*?(?:struct|class|enum|protocol|typealias|let|var) (\w+)", line)
                skipped = bool(named) and named.group(1) in seen
                seen.update(named.groups() if named else ())
            lines += [] if skipped else [*attributes, line]
            attributes = []
    text = "\n".join(lines) + "\n"
    for pattern, instead in [
        (r"(\blet .*) \{ get \}$", r"\1"),
        (r"\b(?:internal|private|fileprivate)\(set\) (.*\{ get \})$", r"\1"),
        (r"^( *).*\benum \w+ : Swift\.(U?Int\d*|String)\b.*\{$",
         r"\g<0>\n\1    public init?(rawValue: Swift.\2)\n\1    public var rawValue: Swift.\2 { get }"),
        (r"^([^=(\n]*? (?:var|subscript)\b[^{}\n]*)$", r"\1 { get set }"),
    ]:
        text = re.sub(pattern, instead, text, flags=re.M)
    return text


def compile_printed(compiler, name, text):
    """Compiles printed declarations without those that are in error."""
    lines, dropped = written(name, text).splitlines(), []
    while (done := compiler.interface(name, "\n".join(lines) + "\n")).returncode:
        errors = re.findall(rf"{name}\.swiftinterface:(\d+):\d+: error: (?!failed to build)(.*)", done.stderr)
        errors = {int(line) - 1: error for line, error in errors if 7 < int(line) <= len(lines)}
        if not errors:
            compiler.need(name, done)
        removed = set()
        for number, error in errors.items():
            if "does not override" in error:
                lines[number] = lines[number].replace("override ", "", 1)
                continue
            dropped.append(f"{lines[number].strip()}  // {error}")
            depth, end = 0, number
            while (depth := depth + lines[end].count("{") - lines[end].count("}")) > 0:
                end += 1
            while ATTRIBUTES.fullmatch(lines[number - 1]):
                number -= 1
            removed.update(range(number, end + 1))
        lines = [line for number, line in enumerate(lines) if number not in removed]
    counted = f"{len(dropped)} {digest(*sorted(line.split('  // ')[0] for line in dropped))}"
    if counted != DROPPED[name]:
        raise Broken("\n".join(dropped) + f"\nThe toolchain prints another {name}: these declarations do not compile "
                     f"again.\nIf no target needs them, replace {DROPPED[name]!r} with {counted!r} in DROPPED.")


def compile_system(compiler):
    """Swift, Darwin, Dispatch, Foundation and Testing for macOS."""
    for name in ("Swift", "SwiftOnoneSupport", "_Concurrency", "_RegexParser", "_StringProcessing", "_Builtin_float",
                 "RegexBuilder", "Darwin", "Synchronization", "Observation", "Testing"):
        text = darwin(compiler) if name == "Darwin" else from_toolchain(compiler, name)
        compiler.need(name, compiler.interface(name, text))
    dispatch = printed(compiler, ["Dispatch"]).replace("CDispatch.dispatch_fd_t", "Swift.Int32")
    foundation = re.sub(rf"\b(?:{'|'.join(FOUNDATION)})\.(?=\w)", "Foundation.", printed(compiler, FOUNDATION))
    foundation = re.sub(r"\b(?:CoreFoundation|Glibc|SwiftGlibc|SwiftOverlayShims|_FoundationCShims)\.", "", foundation)
    foundation = foundation.replace("public typealias NSRange\n", "")
    for linux, macos in DIFFERENT.items():
        if linux not in dispatch + foundation:
            raise Broken(f"the toolchain no longer prints: {linux}")
        dispatch, foundation = dispatch.replace(linux, macos), foundation.replace(linux, macos)
    foundation += (DECLARATIONS / "Foundation.swiftinterface").read_text()
    compile_printed(compiler, "Dispatch", "@_exported import CDispatch\n" + dispatch)
    compile_printed(compiler, "Foundation", "@_exported import Darwin\n@_exported import Dispatch\n" + foundation)
    # GRDB imports CoreGraphics for CGFloat.
    text = written("CoreGraphics", "@_exported import Foundation\n")
    compiler.need("CoreGraphics", compiler.interface("CoreGraphics", text))
    compiler.need("Testing", compiler.interface("_Testing_Foundation", from_toolchain(compiler, "_Testing_Foundation")))
    shutil.copytree(compiler.library / "linux/Testing.swiftcrossimport",
                    compiler.folder / "resources/macosx/Testing.swiftcrossimport", dirs_exist_ok=True)


def compile_package(compiler, name):
    folder, options = PACKAGES[name]
    files = sorted(file for file in (CHECKOUTS / folder).rglob("*.swift") if ".docc" not in str(file))
    compiler.need(name, compiler.run(
        "-emit-module", "-o", compiler.folder / f"modules/{name}.swiftmodule", "-module-name", name,
        "-package-name", name, "-parse-as-library", "-suppress-warnings", SKIP, *options.split(), *files))
