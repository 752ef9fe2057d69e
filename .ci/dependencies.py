#!/usr/bin/env python3
"""Compares the packages with their part of THIRD-PARTY.md, or prints the program's components.

  .ci/dependencies.py                   all packages have the reviewed versions, files and licences
  .ci/dependencies.py --write           rewrites that part; use it only after reviewing the changes
  .ci/dependencies.py --sbom PROGRAM    SPDX 2.3 in JSON: packages, the Swift runtime, and system libraries on Linux

A tag can be moved, so each package has a digest of its checkout: SHA-256 over the names of all files except git's, in
order, each with the SHA-256 of its content. Links are followed, because a mirror may replace them with files. It may
also serve a tag as a commit of its own, so Package.resolved cannot be committed. The same program and commit give the
same SBOM. Source: SPDX Specification 2.3, sections 6, 7 and 11.
Exit: 0, or 1 with the differences.
"""
import datetime
import difflib
import hashlib
import json
import os
import re
import subprocess
import sys

PAGE = "THIRD-PARTY.md"
BEGIN, END = "<!-- packages: .ci/dependencies.py --write -->", "<!-- end of packages -->"
TESTS_ONLY = {"swiftcsv"}
LICENCES = {"Apache License": "Apache-2.0", "Permission is hereby granted": "MIT"}
SYSTEM = {
    "libcrypto": ("OpenSSL", "Apache-2.0"), "libssl": ("OpenSSL", "Apache-2.0"), "libnghttp2": ("nghttp2", "MIT"),
    "libqrencode": ("libqrencode", "LGPL-2.1-or-later"), "libsqlite3": ("SQLite", "blessing"),
    "libxml2": ("libxml2", "MIT"), "libzip": ("libzip", "BSD-3-Clause"),
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def dependencies():
    """The resolved packages by name, each once."""
    found, waiting = {}, json.loads(output("swift", "package", "show-dependencies", "--format", "json"))["dependencies"]
    for package in waiting:
        found[package["identity"]] = package
        waiting += package["dependencies"]
    return [found[name] for name in sorted(found)]


def digest(top):
    paths = []
    for folder, folders, names in os.walk(top, followlinks=True):
        here = os.path.realpath(folder) + os.sep
        # A link to a parent folder would never end.
        folders[:] = [name for name in folders if name != ".git" and
                      not here.startswith(os.path.realpath(os.path.join(folder, name)) + os.sep)]
        paths += [os.path.relpath(os.path.join(folder, name), top) for name in names if name != ".git"]
    whole = hashlib.sha256()
    for path in sorted(path for path in paths if os.path.isfile(os.path.join(top, path))):
        with open(os.path.join(top, path), "rb") as file:
            whole.update(path.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return whole.hexdigest()


def licences(package):
    """The texts of licences, then those of notices."""
    names = sorted(os.listdir(package["path"]))
    texts = [read(os.path.join(package["path"], name)).strip("\n")
             for start in ("licen[cs]e|copying", "notice") for name in names if re.match(f"(?i){start}", name)]
    return texts or sys.exit(f"{package['name']} has no licence")


def page_part(packages):
    text = "\n"
    for package in packages:
        is_linked = package["identity"] not in TESTS_ONLY
        use = "" if is_linked else "Only for tests, not contained.\n\n"
        text += f"\n## {package['name']} {package['version']}\n\n<{package['url']}>\n\n{use}"
        text += f"Files: `{digest(package['path'])}`\n"
        for licence in licences(package) if is_linked else []:
            text += f"\n```text\n{licence}\n```\n"
    return text + "\n"


def part(name, version, licence, locator=None, **more):
    if locator:
        more["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]
    return {
        "SPDXID": "SPDXRef-" + re.sub("[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
        "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more,
    }


def linked(packages):
    """The packages and, on Linux, the runtime."""
    for package in packages:
        if package["identity"] not in TESTS_ONLY:
            text, url, version = licences(package)[0], package["url"].removesuffix(".git"), package["version"]
            licence = next(name for start, name in LICENCES.items() if start in text)
            yield part(package["identity"], version, licence, f"pkg:swift/{url.removeprefix('https://')}@{version}",
                       downloadLocation=f"git+{url}@{version}")
    if sys.platform == "linux":
        version = re.search(r"Swift version ([\d.]+)", output("swift", "--version"))[1]
        yield part("swift-runtime", version, "Apache-2.0 WITH Swift-exception",
                   f"pkg:github/swiftlang/swift@swift-{version}-RELEASE",
                   comment="Standard library, Dispatch and Foundation.")
        yield part("icu4c", "76.1", "Unicode-3.0", comment="As part of Foundation.")


def loaded(program):
    """The Debian packages of the system libraries on Linux."""
    if sys.platform != "linux":
        return []
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', read("/etc/os-release"), re.MULTILINE))
    found = {}
    # The program loads libzip itself, by either name.
    for name in re.findall(r"\(NEEDED\).*\[(lib[^]]+)\]", output("readelf", "-dW", program)) + ["libzip.so.[45]"]:
        title, licence = SYSTEM.get(name.split(".so")[0], (None, None))
        if title and title not in found:
            holder = output("dpkg-query", "--search", f"*/{name}").split(":")[0]
            version = output("dpkg-query", "--show", "--showformat=${Version}", holder)
            locator = f"pkg:deb/{release['ID']}/{holder}@{version}?distro={release['VERSION_ID']}"
            found[title] = part(title, version, licence, locator)
    return [found[title] for title in sorted(found)]


def sbom(program, packages):
    version = output(os.path.abspath(program), "--version").strip()
    with open(program, "rb") as file:
        checksum = hashlib.sha256(file.read()).hexdigest()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
    own = part("atsgate", version, "Apache-2.0", primaryPackagePurpose="APPLICATION",
               checksums=[{"algorithm": "SHA256", "checksumValue": checksum}])
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    relations += [(own["SPDXID"], "STATIC_LINK", one) for one in linked(packages)]
    relations += [(own["SPDXID"], "DYNAMIC_LINK", one) for one in loaded(program)]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"atsgate-{version}",
        # Unique for each program, as section 6.5 requires; it is a name, not a reachable address.
        "documentNamespace": f"https://spdx.org/spdxdocs/atsgate-{version}-{checksum[:32]}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: atsgate-sbom"]},
        "packages": [one for _, _, one in relations],
        "relationships": [
            {"spdxElementId": holder, "relationshipType": how, "relatedSpdxElement": one["SPDXID"]}
            for holder, how, one in relations],
    }


def main(arguments):
    packages = dependencies()
    if arguments[:1] == ["--sbom"]:
        print(json.dumps(sbom(arguments[1], packages), indent=1, ensure_ascii=False))
        return 0
    head, old, tail = re.split(f"{BEGIN}|{END}", read(PAGE))
    new = page_part(packages)
    if arguments == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(head + BEGIN + new + END + tail)
    elif new != old:
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), PAGE, "packages", n=1, lineterm="")
        return "\n".join(lines) + "\nIf the packages were reviewed: .ci/dependencies.py --write"
    print("packages: " + ", ".join(f"{one['name']} {one['version']}" for one in packages))
    return 0


sys.exit(main(sys.argv[1:]))
