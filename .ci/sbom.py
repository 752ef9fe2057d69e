#!/usr/bin/env python3
"""Prints the program's components and dependencies as SPDX 2.3 in JSON.

  .ci/sbom.py PROGRAM > atsgate.spdx.json

Packages are those in THIRD-PARTY.md (.ci/licences.py compares it with the resolved ones), the Swift runtime and ICU; on
Linux also the system libraries that PROGRAM loads, with the versions of the build system. The same program and commit
give the same bytes. Source: SPDX Specification 2.3, sections 6, 7 and 11.
Exit: 0, or 1 if a package's licence is unknown here.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

# From the texts in THIRD-PARTY.md, which .ci/licences.py compares with the packages.
LICENCES = {
    "grdb.swift": "MIT",
    "swift-argument-parser": "Apache-2.0",
    "swift-log": "Apache-2.0",
    "swift-mustache": "Apache-2.0",
}
# For tests only.
TESTS_ALONE = {"swiftcsv"}
SYSTEM = {
    "libcrypto": ("OpenSSL", "Apache-2.0"), "libssl": ("OpenSSL", "Apache-2.0"), "libnghttp2": ("nghttp2", "MIT"),
    "libqrencode": ("libqrencode", "LGPL-2.1-or-later"), "libsqlite3": ("SQLite", "blessing"),
    "libxml2": ("libxml2", "MIT"), "libzip": ("libzip", "BSD-3-Clause"),
}


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package(name, version, licence, **more):
    identity = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
    return {
        "SPDXID": identity, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
        "copyrightText": "NOASSERTION", **more,
    }


def address(locator):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def resolved():
    """The resolved packages, from the package manager's own list."""
    with open("Package.resolved", encoding="utf-8") as file:
        pins = json.load(file)["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        name, state = pin["identity"], pin["state"]
        if name in TESTS_ALONE:
            continue
        if name not in LICENCES:
            sys.exit(f"sbom: .ci/sbom.py does not know the licence of {name}")
        version = state.get("version", state["revision"])
        place = re.sub(r"^https://|\.git$", "", pin["location"])
        yield package(
            name, version, LICENCES[name], downloadLocation=f"git+{pin['location']}@{state['revision']}",
            externalRefs=address(f"pkg:swift/{place}@{version}")), "STATIC_LINK"


def runtime():
    """The components linked into Linux programs, with the toolchain's version."""
    version = re.search(r"Swift version ([\d.]+)", said("swift", "--version")).group(1)
    yield package(
        "swift-runtime", version, "Apache-2.0 WITH Swift-exception",
        externalRefs=address(f"pkg:github/swiftlang/swift@swift-{version}-RELEASE"),
        comment="Standard library, Dispatch and Foundation."), "STATIC_LINK"
    yield package("icu4c", "76.1", "Unicode-3.0", comment="As part of Foundation."), "STATIC_LINK"


def loaded(program):
    """The packages that contain the system libraries."""
    names = re.findall(r"\(NEEDED\).*\[(lib[^]]+)\]", said("readelf", "--dynamic", "--wide", program))
    with open("/etc/os-release", encoding="utf-8") as file:
        release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', file.read(), re.MULTILINE))
    found = {}
    # The program loads libzip itself, by either name.
    for name in names + ["libzip.so.[45]"]:
        title, licence = SYSTEM.get(name.split(".so")[0], (None, None))
        if title and title not in found:
            holders = said("dpkg-query", "--search", f"*/{name}").splitlines()
            holder = holders[0].split(":")[0]
            version = said("dpkg-query", "--show", "--showformat=${Version}", holder).split("\n")[0]
            found[title] = package(
                title, version, licence,
                externalRefs=address(f"pkg:deb/{release['ID']}/{holder}@{version}?distro={release['VERSION_ID']}"))
    return [(found[title], "DYNAMIC_LINK") for title in sorted(found)]


def main():
    program = sys.argv[1]
    version = said(os.path.abspath(program), "--version").strip()
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or said("git", "log", "-1", "--format=%ct")
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    own = package(
        "atsgate", version, "Apache-2.0", primaryPackagePurpose="APPLICATION",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    parts = list(resolved())
    if sys.platform == "linux":
        parts += list(runtime()) + loaded(program)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], how, part["SPDXID"]) for part, how in parts]
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"atsgate-{version}",
        # Unique for each program, as section 6.5 requires; it is a name, not a reachable address.
        "documentNamespace": f"https://spdx.org/spdxdocs/atsgate-{version}-{digest[:32]}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: atsgate-sbom"]},
        "packages": [own] + [part for part, _ in parts],
        "relationships": [
            {"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
            for one, how, other in relations
        ],
    }, indent=1, ensure_ascii=False))


main()
