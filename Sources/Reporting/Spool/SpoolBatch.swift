extension Spool {
    /// Loads behind one number, in the order of their numbers. Made once and filled again and again, by
    /// ``Spool/fill(_:behind:count:bytes:)``: it keeps its memory.
    public struct Batch: Sendable {
        public internal(set) var loads: [SpooledLoad] = []
        /// What they share; there may be some that no load has.
        public internal(set) var forms: [SpooledForm] = []
        /// What the loads say, one behind the other: UTF-8 without U+0000.
        public internal(set) var texts: [UInt8] = []
        /// The last row that was looked at: there is no other up to it.
        public internal(set) var end: Int64 = 0
        /// There is nothing behind it yet.
        public internal(set) var isLast = true
        /// Recordings to which no load came yet and that began among these loads or behind the last of all, and when they
        /// began, in milliseconds since 1970-01-01 UTC.
        public var emptyRecordings: [(name: String, verdict: String, begin: Int64)] = []
        /// Where the forms of rows are, by their numbers.
        private var places: [Int64: Int] = [:]
        /// Most rows are of the same form as the one before.
        private var last: (form: Int64, place: Int)?

        public init() {}

        /// As it was made, but for its memory.
        mutating func removeAll() {
            // A gate that was busy once does not keep it for ever.
            let keepsMemory = texts.capacity <= keptBytes
            loads.removeAll(keepingCapacity: keepsMemory)
            texts.removeAll(keepingCapacity: keepsMemory)
            forms.removeAll(keepingCapacity: keepsMemory)
            places.removeAll(keepingCapacity: keepsMemory)
            (last, end, isLast, emptyRecordings) = (nil, 0, true, [])
        }

        /// The place of the form that rows call by this number; nil where none of them was added.
        mutating func place(ofForm number: Int64) -> Int? {
            if let last, last.form == number { return last.place }
            guard let place = places[number] else { return nil }
            last = (number, place)
            return place
        }

        /// - Returns: its place.
        mutating func add(_ form: SpooledForm, ofForm number: Int64) -> Int {
            let place = forms.count
            forms.append(form)
            places[number] = place
            last = (number, place)
            return place
        }

        /// Appends what `text` writes; nil where it says that there is nothing.
        mutating func add(_ text: (inout [UInt8]) -> Bool) -> Range<Int>? {
            let begin = texts.count
            return text(&texts) ? begin..<texts.count : nil
        }
    }
}

/// Twice what as many loads as are shipped at once usually say.
private let keptBytes = 4 << 20
