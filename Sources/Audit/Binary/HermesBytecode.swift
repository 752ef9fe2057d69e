/// The strings of a React Native bundle that Hermes compiled.
///
/// Source: GitHub, facebook/hermes, include/hermes/BCGen/HBC/BytecodeFileFormat.h and StringTableEntry.h. The strings
/// are adjacent, so the string table is needed to separate them.
struct HermesBytecode {
    private let source: any ByteSource
    /// Place of each string in the storage, in bytes.
    private let table: [Entry]
    private let storage: Range<Int>

    private struct Entry {
        let offset: Int
        let length: Int
        let isWide: Bool
    }

    /// True for the first bytes of such a file.
    static func isHermes(_ beginning: [UInt8]) -> Bool { BinaryNumbers(bytes: beginning).long(0) == magic }

    /// - Returns: nil if the file has another magic number, or a string table that does not fit its storage.
    init?(_ source: some ByteSource) {
        let head = BinaryNumbers(bytes: source.bytes(at: 0, count: Self.headerBytes))
        guard head.long(0) == Self.magic else { return nil }
        let numbers = stride(from: 40, through: 60, by: 4).compactMap { head.word($0).map(Int.init) }
        guard numbers.count == 6 else { return nil }
        let counts = (
            functions: numbers[0], kinds: numbers[1], identifiers: numbers[2], strings: numbers[3],
            overflow: numbers[4], bytes: numbers[5]
        )
        guard counts.strings <= Self.mostStrings, counts.overflow <= counts.strings else { return nil }
        // The header of a function has 16 bytes, and 12 since version 98.
        for functionBytes in [16, 12] {
            let start = Self.headerBytes + counts.functions * functionBytes + counts.kinds * 4 + counts.identifiers * 4
            let storage = start + counts.strings * 4 + counts.overflow * 8
            guard storage <= source.count, counts.bytes <= source.count - storage else { continue }
            let small = BinaryNumbers(bytes: source.bytes(at: start, count: counts.strings * 4))
            let large = BinaryNumbers(
                bytes: source.bytes(at: start + counts.strings * 4, count: counts.overflow * 8))
            guard let table = Self.table(small, large, counts.strings, within: counts.bytes) else { continue }
            self.source = source
            self.table = table
            self.storage = storage..<storage + counts.bytes
            return
        }
        return nil
    }

    /// Calls `body` with the bytes of each string; those of wide characters are replaced by quotation marks if they are not ASCII.
    func forEachString(_ body: ([UInt8]) -> Void) {
        for entry in table where entry.length >= Self.shortest {
            let bytes = source.bytes(
                at: storage.lowerBound + entry.offset,
                count: min(entry.length, Self.longest) * (entry.isWide ? 2 : 1))
            body(entry.isWide ? WideText.narrowed(bytes) : bytes)
        }
    }

    /// - Returns: nil if an entry lies outside of the storage, which means that the layout is another one.
    private static func table(
        _ small: BinaryNumbers, _ large: BinaryNumbers, _ count: Int, within bytes: Int
    ) -> [Entry]? {
        var table: [Entry] = []
        table.reserveCapacity(count)
        for index in 0..<count {
            guard let word = small.word(index * 4) else { return nil }
            var offset = Int(word >> 1 & 0x7F_FFFF)
            var length = Int(word >> 24)
            if length == 0xFF {
                guard let first = large.word(offset * 8), let second = large.word(offset * 8 + 4) else { return nil }
                (offset, length) = (Int(first), Int(second))
            }
            let isWide = word & 1 == 1
            guard offset <= bytes, length * (isWide ? 2 : 1) <= bytes - offset else { return nil }
            table.append(Entry(offset: offset, length: length, isWide: isWide))
        }
        return table
    }

    private static let magic: UInt64 = 0x1F19_03C1_03BC_1FC6
    /// The header and its padding to 32 bytes.
    private static let headerBytes = 128
    /// A limit against forged files: 64 MiB of table. Bundles of large apps have some 100,000 strings.
    private static let mostStrings = 4 << 20
    /// No host is shorter.
    private static let shortest = 4
    /// Longer strings are data, such as images.
    private static let longest = 1 << 20
}

/// Text of 16-bit units, little-endian.
enum WideText {
    /// One byte for each unit: the character if it is ASCII, 0 for 0, otherwise a quotation mark, which ends a URL.
    static func narrowed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 2)
        var index = 0
        while index + 1 < bytes.count {
            result.append(bytes[index + 1] == 0 && bytes[index] < 0x80 ? bytes[index] : UInt8(ascii: "\""))
            index += 2
        }
        return result
    }
}
