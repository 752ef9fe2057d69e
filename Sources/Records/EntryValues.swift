/// The values that one load writes into the blanks of its ``RecordForm``, found in an entry without decoding it.
///
/// A value is JSON; `id` and `load.url` are the inside of a JSON string, or its end. ``RecordForm/namedBlanks`` names
/// the blanks.
public struct EntryValues {
    private let entry: UnsafeBufferPointer<UInt8>
    /// The end of each value.
    private var ends: [Int] = []

    /// - Parameter entry: an entry as stored; must outlive this value.
    public init(_ entry: UnsafeBufferPointer<UInt8>) {
        self.entry = entry
        ends.reserveCapacity(expectedCount)
        for index in entry.indices where entry[index] == RecordForm.blank { ends.append(index) }
        ends.append(entry.count)
    }

    public var count: Int { ends.count }

    /// The value of the blank at `place`; empty if the entry has no such blank.
    public subscript(_ place: Int?) -> UnsafeBufferPointer<UInt8>.SubSequence {
        guard let place, ends.indices.contains(place) else { return entry[..<0] }
        return entry[(place == 0 ? 0 : ends[place - 1] + 1)..<ends[place]]
    }

    /// The value of one blank, found without scanning the rest of the entry.
    public static func value(
        _ place: Int?, of entry: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>.SubSequence {
        var rest = entry[...]
        guard let place else { return entry[..<0] }
        for _ in 0..<place {
            guard let blank = rest.firstIndex(of: RecordForm.blank) else { return rest[rest.endIndex...] }
            rest = rest[(blank + 1)...]
        }
        return rest[..<(rest.firstIndex(of: RecordForm.blank) ?? rest.endIndex)]
    }
}

/// The approximate number of values in today's records.
private let expectedCount = 24
