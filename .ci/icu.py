#!/usr/bin/env python3
"""Makes an object file with the part of ICU's data that the program needs. Linux only.

  .ci/icu.py FOLDER          writes FOLDER/icu-DIGEST.o, unless it exists, and prints its path
  .ci/icu.py --in PROGRAM    fails unless PROGRAM contains that part and nothing else

Foundation for Linux includes ICU with 34 MB of tables for all languages, of which an English program uses a tenth. ICU
finds the tables by one symbol, which the linker takes from the first object that defines it: an object with a smaller
table comes before the toolchain's archive, and no source changes. The kept items are listed below.
Tests/Foundation/compare.sh tests that Foundation behaves as with all of them.
Sources: ICU User Guide, "ICU Data" (one common data file, whose items are found by name); ICU 76,
source/common/ucmndata.h (its layout: header, count, pairs of offsets to name and item, names, items) and udata.cpp.
Exit: 0; 1 if the toolchain's ICU is not the one that the list was made for, or a program has another table.
"""
import hashlib
import mmap
import os
import shutil
import struct
import subprocess
import sys

# Another version may use other names for its items: then review the list below, and run compare.sh.
VERSION, COUNT = "icudt76", 4855
ARCHIVE, MEMBER = "lib_FoundationICU.a", "icu_packaged_data.cpp.o"
# Must not be in a program that was made here: the dictionary of Chinese and Japanese words.
LEFT_OUT = "brkitr/cjdict.dict"

KEPT = {
    "finding locales, and their inheritance": """root.res pool.res res_index.res icustd.res icuver.res
        likelySubtags.res langInfo.res supplementalData.res keyTypeData.res metadata.res numberingSystems.res
        plurals.res pluralRanges.res dayPeriods.res units.res""",
    "English": "en.res en_001.res en_GB.res en_US.res en_US_POSIX.res",
    "English words for currencies and units, which formatters open": """curr/root.res curr/pool.res curr/en.res
        curr/supplementalData.res unit/root.res unit/pool.res unit/en.res""",
    "time zones": """zoneinfo64.res timezoneTypes.res metaZones.res windowsZones.res zone/root.res zone/pool.res
        zone/en.res""",
    "host names (UTS 46), normal forms, emoji": "uts46.nrm nfkc.nrm nfkc_cf.nrm nfkc_scf.nrm uemoji.icu ulayout.icu",
    "comparing text": """coll/root.res coll/ucadata.icu coll/res_index.res coll/en.res coll/en_US.res
        coll/en_US_POSIX.res""",
    "characters, words, lines, sentences": """brkitr/root.res brkitr/res_index.res brkitr/en.res brkitr/en_US.res
        brkitr/en_US_POSIX.res brkitr/char.brk brkitr/word.brk brkitr/word_POSIX.brk brkitr/line.brk
        brkitr/sent.brk brkitr/title.brk""",
    "names of character sets": "cnvalias.icu",
}


def archive():
    """The toolchain's own archive."""
    compiler = os.path.realpath(shutil.which("swiftc") or sys.exit("icu: swiftc was not found"))
    return os.path.join(os.path.dirname(compiler), "..", "lib", "swift_static", "linux", ARCHIVE)


def whole():
    """The toolchain's ICU data: the one object of its archive that contains it."""
    tool = shutil.which("llvm-ar") or "ar"
    member = subprocess.run([tool, "p", archive(), MEMBER], check=True, capture_output=True).stdout
    # The symbol is all that this object has in .rodata, which follows directly after the header (64 bits, little
    # endian).
    sections, size, count, names = struct.unpack_from("<Q10xHHH", member, 40)
    heads = [struct.unpack_from("<I4x8xQQQ", member, sections + size * index) for index in range(count)]
    text = heads[names][2]
    for name, _, offset, length in heads:
        end = member.index(b"\0", text + name)
        if member[text + name:end] == b".rodata":
            return member[offset:offset + length]
    sys.exit(f"icu: {MEMBER} in {archive()} has no .rodata")


def items(data):
    """The name and content of each item, in the order of the file."""
    (head,) = struct.unpack_from("<H", data)
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        sys.exit("icu: the toolchain's data is not a common data file of ICU")
    (count,) = struct.unpack_from("<I", data, head)
    table = [struct.unpack_from("<II", data, head + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in table[1:]] + [len(data) - head]
    found = []
    for (name, begin), end in zip(table, ends):
        text = data[head + name:data.index(b"\0", head + name)].decode()
        found.append((text, data[head + begin:head + end]))
    version = {name.split("/")[0] for name, _ in found}
    if version != {VERSION + "l"} or count != COUNT:
        sys.exit(
            f"icu: the toolchain has {count} items of {', '.join(sorted(version))}, but .ci/icu.py was written for "
            f"{COUNT} of {VERSION}l: review its list, run Tests/Foundation/compare.sh, and change both numbers")
    return data[:head], found


def part(data):
    """The same file with only the listed items."""
    head, found = items(data)
    wanted = {f"{VERSION}l/{name}" for names in KEPT.values() for name in names.split()}
    kept = [(name, content) for name, content in found if name in wanted]
    missing = wanted - {name for name, _ in kept}
    if missing:
        sys.exit(f"icu: the toolchain's data lacks {', '.join(sorted(missing))}")
    places, text, content = [], b"", b""
    first = 4 + 8 * len(kept)
    for name, _ in kept:
        places.append(first + len(text))
        text += name.encode() + b"\0"
    text += b"\0" * (-(first + len(text)) % 16)
    table = struct.pack("<I", len(kept))
    for place, (_, one) in zip(places, kept):
        table += struct.pack("<II", place, first + len(text) + len(content))
        content += one + b"\0" * (-len(one) % 16)
    return head + table + text + content


def assemble(table, path):
    """An object file that defines the symbol of ICU's whole data."""
    with open(path + ".dat", "wb") as file:
        file.write(table)
    source = f"""
    .section .rodata
    .balign 16
    .globl {VERSION}_dat
    .type {VERSION}_dat, %object
{VERSION}_dat:
    .incbin "{os.path.abspath(path)}.dat"
    .size {VERSION}_dat, . - {VERSION}_dat
    .section .note.GNU-stack, "", %progbits
"""
    # Renamed once complete: the name contains the digest, so that the file is never made twice.
    subprocess.run(["clang", "-x", "assembler", "-c", "-", "-o", path + ".new"], input=source, text=True, check=True)
    os.rename(path + ".new", path)
    os.remove(path + ".dat")


def check(program, data):
    """Fails unless the program contains exactly the table that is made here."""
    left_out = dict(items(data)[1])[f"{VERSION}l/{LEFT_OUT}"]
    with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(part(data)) < 0:
            sys.exit(f"icu: {program} does not contain the table of .ci/icu.py")
        if content.find(left_out[:65536]) >= 0:
            sys.exit(f"icu: {program} also contains ICU's whole data")


def main():
    data = whole()
    if sys.argv[1] == "--in":
        return check(sys.argv[2], data)
    table = part(data)
    os.makedirs(sys.argv[1], exist_ok=True)
    path = os.path.join(sys.argv[1], f"icu-{hashlib.sha256(table).hexdigest()[:16]}.o")
    if not os.path.exists(path):
        assemble(table, path)
    print(os.path.abspath(path))
    return None


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
main()
