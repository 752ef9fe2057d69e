/// The values that one load writes into the blanks of its ``RecordForm``, taken out of an entry without reading it.
///
/// A value is JSON; `id` and `load.url` are the inside of a JSON string, the URL without its origin, and `candidates` is
/// empty or has its key in front.
public struct EntryValues {
    /// A value's place in every entry.
    public struct Place: Sendable, Hashable {
        let index: Int

        /// - Parameter name: keys of the record with dots between them, for example `load.method`; must be the load's own.
        public init(_ name: String) {
            guard let index = RecordFields.catalog.entryNames.firstIndex(of: name) else {
                preconditionFailure("\(name) is no value of an entry")
            }
            self.index = index
        }
    }

    private let entry: UnsafeBufferPointer<UInt8>
    /// Where each value ends.
    private var ends: [Int] = []

    /// - Parameter entry: as a store keeps it; must outlive this value.
    public init(_ entry: UnsafeBufferPointer<UInt8>) {
        self.entry = entry
        ends.reserveCapacity(RecordFields.catalog.entryNames.count)
        for index in entry.indices where entry[index] == RecordForm.blank { ends.append(index) }
        ends.append(entry.count)
    }

    /// As many as a record has.
    public var isWhole: Bool { ends.count == RecordFields.catalog.entryNames.count }

    /// The value's bytes; empty where the entry has no such value.
    public subscript(_ place: Place) -> UnsafeBufferPointer<UInt8>.SubSequence {
        guard ends.indices.contains(place.index) else { return entry[..<0] }
        return entry[(place.index == 0 ? 0 : ends[place.index - 1] + 1)..<ends[place.index]]
    }

    /// The value at `place`, without looking at what follows it; empty where there is none.
    public static func value(
        _ place: Place, of entry: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>.SubSequence {
        var rest = entry[...]
        for _ in 0..<place.index {
            guard let blank = rest.firstIndex(of: RecordForm.blank) else { return rest[rest.endIndex...] }
            rest = rest[(blank + 1)...]
        }
        return rest[..<(rest.firstIndex(of: RecordForm.blank) ?? rest.endIndex)]
    }
}
