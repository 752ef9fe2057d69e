/// Finds the known field that a name spells, in any case, without making text: a small hash table over the first
/// eight bytes and the length, made once from the names of ``KnownField``.
struct FieldNameTable: Sendable {
    static let shared = FieldNameTable()

    /// Raw values of known fields, `emptySlot` where there is none. Collisions take the next free slot.
    private var slots = [UInt8](repeating: emptySlot, count: slotCount)
    /// Four words for each known field: its name in lower case, padded with zeros.
    private var names: [UInt64] = []

    private init() {
        for field in KnownField.allCases {
            let text = UnsafeRawBufferPointer(start: field.name.utf8Start, count: field.name.utf8CodeUnitCount)
            let name = ByteView(text)
            for part in 0..<Self.wordsPerName { names.append(Self.word(part, of: name, at: 0, count: text.count)) }
            var slot = Self.slot(Self.word(0, of: name, at: 0, count: text.count), text.count)
            while slots[slot] != Self.emptySlot { slot = (slot + 1) % Self.slotCount }
            slots[slot] = field.rawValue
        }
    }

    /// The field that the `count` bytes at `start` name. Only tokens are found, since all names are.
    @inline(__always)
    func field(in view: ByteView, at start: Int, count: Int) -> KnownField? {
        guard count > 0, count <= Self.longestName else { return nil }
        let first = Self.word(0, of: view, at: start, count: count)
        var slot = Self.slot(first, count)
        while true {
            let code = slots[slot]
            guard code != Self.emptySlot else { return nil }
            if isName(code, first, view, start, count) { return KnownField(rawValue: code) }
            slot = (slot &+ 1) % Self.slotCount
        }
    }

    @inline(__always)
    private func isName(_ code: UInt8, _ first: UInt64, _ view: ByteView, _ start: Int, _ count: Int) -> Bool {
        let base = Int(code) &* Self.wordsPerName
        guard names[base] == first else { return false }
        var part = 1
        while 8 &* part < count {
            guard names[base &+ part] == Self.word(part, of: view, at: start, count: count) else { return false }
            part &+= 1
        }
        return part == Self.wordsPerName || names[base &+ part] == 0
    }

    /// Bytes `8 * part` and on of a name with capitals made small, zeros past its end.
    @inline(__always)
    private static func word(_ part: Int, of view: ByteView, at start: Int, count: Int) -> UInt64 {
        let left = count &- 8 &* part
        guard left > 0 else { return 0 }
        let offset = start &+ 8 &* part
        let mask = left >= 8 ? UInt64.max : (1 &<< UInt64(8 &* left)) &- 1
        if offset &+ 8 <= view.count { return folded(view.word(at: offset)) & mask }
        var word: UInt64 = 0
        for index in 0..<min(left, 8) { word |= UInt64(view[offset &+ index]) &<< UInt64(8 &* index) }
        return folded(word)
    }

    /// Capitals made small. Bytes below 0x40 stay as they are: a CR must not become a hyphen.
    @inline(__always)
    private static func folded(_ word: UInt64) -> UInt64 { word | (word & Ascii.spread(0x40)) &>> 1 }

    @inline(__always)
    private static func slot(_ first: UInt64, _ count: Int) -> Int {
        let mixed = (first ^ UInt64(truncatingIfNeeded: count)) &* multiplier
        return Int(truncatingIfNeeded: mixed &>> 56)
    }

    private static let wordsPerName = 4
    private static let longestName = 32
    private static let slotCount = 256
    private static let emptySlot: UInt8 = 0xFF
    /// Fibonacci hashing: 2^64 divided by the golden ratio.
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
}
