/// The values that one load writes into the blanks of its ``RecordForm``, taken out of an entry without reading it.
///
/// A value is JSON; `id` and `load.url` are the inside of a JSON string, or the end of it. Which is which is told by
/// ``RecordForm/namedBlanks``.
public struct EntryValues {
    private let entry: UnsafeBufferPointer<UInt8>
    /// Where each value ends.
    private var ends: [Int] = []

    /// - Parameter entry: as a store keeps it; must outlive this value.
    public init(_ entry: UnsafeBufferPointer<UInt8>) {
        self.entry = entry
        ends.reserveCapacity(expectedCount)
        for index in entry.indices where entry[index] == RecordForm.blank { ends.append(index) }
        ends.append(entry.count)
    }

    public var count: Int { ends.count }

    /// The value of the blank at `place`; empty where there is none.
    public subscript(_ place: Int?) -> UnsafeBufferPointer<UInt8>.SubSequence {
        guard let place, ends.indices.contains(place) else { return entry[..<0] }
        return entry[(place == 0 ? 0 : ends[place - 1] + 1)..<ends[place]]
    }

    /// The same, without looking at what follows it.
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

/// As many as a record has today, about.
private let expectedCount = 24
