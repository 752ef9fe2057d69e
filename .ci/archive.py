#!/usr/bin/env python3
"""Packs a folder reproducibly: sorted, without owners, with the time of SOURCE_DATE_EPOCH.

  .ci/archive.py FOLDER FILE

FILE ends with .tar.xz or .tar.gz. FILE.sha256 gets its digest. The same bits need the same liblzma or zlib.
Source: reproducible-builds.org, "Archive metadata".
"""
import gzip
import hashlib
import lzma
import os
import sys
import tarfile

folder, path = sys.argv[1].rstrip("/"), sys.argv[2]
epoch = int(os.environ["SOURCE_DATE_EPOCH"])


def plain(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = epoch
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def packing(file):
    if path.endswith(".tar.xz"):
        return lzma.LZMAFile(file, "wb", preset=6)
    return gzip.GzipFile("", "wb", 9, file, epoch)


with open(path, "wb") as file, packing(file) as packed:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        # Folders are added in the order of their names.
        archive.add(folder, os.path.basename(folder), filter=plain)
with open(path, "rb") as file:
    digest = hashlib.sha256(file.read()).hexdigest()
with open(path + ".sha256", "w", encoding="ascii") as file:
    file.write(f"{digest}  {os.path.basename(path)}\n")
print(f"{digest}  {os.path.basename(path)}")
