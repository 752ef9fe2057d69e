extension Spool {
    /// Loads after one number, in order. Created once and refilled by ``Spool/fill(_:behind:count:bytes:)``, so that it
    /// keeps its memory.
    public struct Batch: Sendable {
        public internal(set) var loads: [SpooledLoad] = []
        /// The forms of the loads. May include unused ones.
        public internal(set) var forms: [SpooledForm] = []
        /// The texts of the loads, concatenated: UTF-8 without U+0000.
        public internal(set) var texts: [UInt8] = []
        /// The number of the last row that was read: no load up to it is missing here.
        public internal(set) var end: Int64 = 0
        /// True if the spool has no more loads yet.
        public internal(set) var isLast = true
        /// Recordings without loads that began among these loads or after the last of all, with their start in
        /// milliseconds since 1970-01-01 UTC.
        public var emptyRecordings: [(name: String, verdict: String, begin: Int64)] = []
        /// Indices of forms, by their row numbers.
        private var places: [Int64: Int] = [:]
        /// The last form used: most rows have the same form as the one before.
        private var last: (form: Int64, place: Int)?

        public init() {}

        /// Empties the batch but keeps its memory.
        mutating func removeAll() {
            // A gate that was busy once should not keep much memory forever.
            let keepsMemory = texts.capacity <= keptBytes
            loads.removeAll(keepingCapacity: keepsMemory)
            texts.removeAll(keepingCapacity: keepsMemory)
            forms.removeAll(keepingCapacity: keepsMemory)
            places.removeAll(keepingCapacity: keepsMemory)
            (last, end, isLast, emptyRecordings) = (nil, 0, true, [])
        }

        /// The index of the form with this row number; nil if it was not added.
        mutating func place(ofForm number: Int64) -> Int? {
            if let last, last.form == number { return last.place }
            guard let place = places[number] else { return nil }
            last = (number, place)
            return place
        }

        /// - Returns: the index of the form.
        mutating func add(_ form: SpooledForm, ofForm number: Int64) -> Int {
            let place = forms.count
            forms.append(form)
            places[number] = place
            last = (number, place)
            return place
        }

        /// Appends the text that `text` writes; nil if it returns false.
        mutating func add(_ text: (inout [UInt8]) -> Bool) -> Range<Int>? {
            let begin = texts.count
            return text(&texts) ? begin..<texts.count : nil
        }
    }
}

/// Twice the usual size of a full batch.
private let keptBytes = 4 << 20
