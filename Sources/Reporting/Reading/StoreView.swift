package import Records

/// Where a store is, and how one looks at it. What reports, replays and lists ask of a store is asked by this and by
/// ``StoreView`` alone, so that a file and a server are read alike.
package protocol StoreSource: Sendable {
    /// What people call the store.
    var name: String { get }

    /// Whether it is a file that can be copied and mended.
    var isFile: Bool { get }

    /// Whether something may have come since the last look. Does not wait for it.
    var hasNews: Bool { get }

    /// One look: whatever `body` asks is answered from one snapshot.
    ///
    /// - Parameter damage: told of what cannot be read.
    /// - Throws: what `body` throws; ``StoreError`` for what is wrong with the store.
    func look<Answer>(noting damage: StoreDamage, _ body: (any StoreView) throws -> Answer) throws -> Answer
}

/// A store as it was at one moment. What cannot be read is noted and left out. Numbers of forms and handshakes are the
/// source's own, and stay the same for all of its looks until ``generation()`` changes.
package protocol StoreView: AnyObject {
    /// How many loads of each recording ended how.
    func tallies() throws -> [StoreTally]

    /// What loads share; nil where there is none of this number.
    func form(_ number: Int64) throws -> StoredForm?

    /// The text alone of a form, which may be sound where the rest of it is not.
    func formText(_ number: Int64) throws -> RecordForm?

    /// Nil for one that cannot be read, which is noted.
    func handshake(_ number: Int64) throws -> RecordedHandshake?

    /// Every form, in no order.
    func forEachForm(
        _ body: (_ number: Int64, _ recording: String, _ host: String, _ text: String) throws -> Void
    ) throws

    /// The hosts of recordings, each once.
    ///
    /// - Parameter recordings: none for all.
    func hostNames(of recordings: [String]) throws -> Set<String>

    /// Bytes of the entries of each form together.
    ///
    /// - Parameter recording: nil for all.
    func entryBytes(of recording: String?) throws -> [Int64: Int64]

    /// Prepares to go through the loads that meet a filter. What is filed later is no part of it.
    func scan(_ filter: RecordFilter, isDescending: Bool) throws -> any StoreScan

    /// Hands over rows; what cannot be read is noted and left out.
    ///
    /// - Parameters:
    ///   - scan: of this source; it may be of an earlier look.
    ///   - behind: rows up to it, in the order of the scan, are left out; nil for none.
    ///   - body: whether to go on.
    /// - Throws: what `body` throws but ``StoreError/unreadableRecord(id:cause:)``.
    func forEachRow(of scan: any StoreScan, behind place: StorePlace?, _ body: (ScannedRow) throws -> Bool) throws

    /// A scan with the forms that it wants now; what was filed since stays out.
    func renewed(_ scan: any StoreScan) throws -> any StoreScan

    /// Rises when numbers of forms may stand for others than before.
    func generation() throws -> Int

    /// Loads that are alike, in the order in which they were first met.
    ///
    /// - Parameters:
    ///   - detail: what is wanted of them besides their number.
    ///   - witnessed: takes each row whose load was witnessed; nil where nobody asks.
    func groups(
        of filter: RecordFilter, _ detail: GroupDetail, witnessed: ((ScannedRow) throws -> Void)?
    ) throws -> [LoadsTogether]

    /// How many loads of each gate ended how, by the gate's machine and label.
    ///
    /// - Throws: ``StoreError/otherKind(path:cause:)`` for a store that does not tell gates apart.
    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]]

    /// Hands over one row for each of `candidates`: the first of its places of which the row can be read.
    ///
    /// - Parameter body: takes which of the candidates it is for.
    func forEachRow(at candidates: [[StorePlace]], _ body: (_ index: Int, ScannedRow) throws -> Void) throws

    /// Where the load of an id is; nil where it is not there.
    func place(ofLoad id: String) throws -> StorePlace?

    /// How far the store is filled.
    func mark() throws -> StoreMark

    /// Hands over what was filed behind a mark, and moves the mark behind it.
    ///
    /// - Parameter limit: at most so many rows.
    func forEachRow(
        of filter: RecordFilter, filedAfter mark: inout StoreMark, limit: Int, _ body: (ScannedRow) throws -> Void
    ) throws
}

/// The loads that meet a filter, up to an end. Made by a ``StoreView``, for views of the same source.
package protocol StoreScan: Sendable {}

/// How far a store was filled when somebody looked.
package enum StoreMark: Sendable, Hashable {
    /// Nothing of it was looked at yet.
    case beginning
    /// The number of the last row of a file.
    case row(Int64)
    /// The last load that each gate has filed in a shared store, by the identity of its spool.
    case gates([UInt128: Filed])
    /// In the midst of what gates filed between two such marks.
    case within(Span)

    /// The number of a load, and when its record was made, by the clock of its gate, in microseconds since 1970-01-01 UTC.
    package struct Filed: Sendable, Hashable {
        package var number: Int64
        package var time: Int64

        package init(number: Int64, time: Int64) {
            self.number = number
            self.time = time
        }
    }

    package struct Span: Sendable, Hashable {
        package var from: [UInt128: Filed]
        package var to: [UInt128: Filed]
        /// None of its loads began before, in microseconds since 1970-01-01 UTC; nil where that is not known.
        package var since: Int64?
        /// The load that was handed over last, in the order in which they began.
        package var behind: StorePlace?

        package init(from: [UInt128: Filed], to: [UInt128: Filed], since: Int64?) {
            self.from = from
            self.to = to
            self.since = since
        }
    }
}

/// What is wanted of loads that are alike.
package enum GroupDetail: Sendable {
    /// How many there are, and when the first began and the last.
    case ends
    /// The same, with how many URLs there were.
    case urls
    /// The same, with how many began when.
    case whole
}

/// Loads that are alike.
package struct LoadsTogether {
    /// Of the first of them filed.
    package var places: [StorePlace]
    /// Of the last of them filed.
    package var last: StorePlace
    package let rule: String?
    package var loads: Int
    package var span: LoadSpan
    package var urls: URLTally

    package init(
        places: [StorePlace], last: StorePlace, rule: String?, loads: Int, span: LoadSpan, urls: URLTally = URLTally()
    ) {
        self.places = places
        self.last = last
        self.rule = rule
        self.loads = loads
        self.span = span
        self.urls = urls
    }
}
