package import Records

/// A store that can be read, whether file or server. Reports, replays and lists use only this protocol and
/// ``StoreView``.
package protocol StoreSource: Sendable {
    /// The store's name, as shown to the user.
    var name: String { get }

    /// True if it is a file, which can be copied.
    var isFile: Bool { get }

    /// True if loads may have been stored since the last read. Does not block.
    var hasNews: Bool { get }

    /// Runs `body` on one snapshot of the store.
    ///
    /// - Parameter damage: notes the parts that cannot be read.
    /// - Throws: what `body` throws; ``StoreError`` for problems with the store.
    func look<Answer>(noting damage: StoreDamage, _ body: (any StoreView) throws -> Answer) throws -> Answer
}

/// A snapshot of a store. Parts that cannot be read are noted and left out. Numbers of forms and handshakes belong to
/// the source, and stay valid for all its snapshots until ``generation()`` changes.
package protocol StoreView: AnyObject {
    /// The number of loads by recording and verdict.
    func tallies() throws -> [StoreTally]

    /// The form with this number; nil if it does not exist.
    func form(_ number: Int64) throws -> StoredForm?

    /// The text of a form alone, which may be readable when the rest is not.
    func formText(_ number: Int64) throws -> RecordForm?

    /// The handshake with this number; nil if it cannot be read, which is noted.
    func handshake(_ number: Int64) throws -> RecordedHandshake?

    /// Calls `body` with every form, in any order.
    func forEachForm(
        _ body: (_ number: Int64, _ recording: String, _ host: String, _ text: String) throws -> Void
    ) throws

    /// The hosts of recordings, without duplicates.
    ///
    /// - Parameter recordings: empty for all.
    func hostNames(of recordings: [String]) throws -> Set<String>

    /// The total size of the entries of each form.
    ///
    /// - Parameter recording: nil for all.
    func entryBytes(of recording: String?) throws -> [Int64: Int64]

    /// Prepares a scan over the loads that match a filter. Loads stored later are not included.
    func scan(_ filter: RecordFilter, isDescending: Bool) throws -> any StoreScan

    /// Calls `body` with each row. Rows that cannot be read are noted and left out.
    ///
    /// - Parameters:
    ///   - scan: a scan of this source, possibly from an earlier snapshot.
    ///   - behind: rows up to this one, in the order of the scan, are skipped; nil for none.
    ///   - body: returns true to continue.
    /// - Throws: what `body` throws except ``StoreError/unreadableRecord(id:cause:)``.
    func forEachRow(of scan: any StoreScan, behind place: StorePosition?, _ body: (ScannedRow) throws -> Bool) throws

    /// The scan with the forms that match now. Loads stored since then stay excluded.
    func renewed(_ scan: any StoreScan) throws -> any StoreScan

    /// Rises when the numbers of forms may have changed their meaning.
    func generation() throws -> Int

    /// Groups of similar loads, in order of first appearance.
    ///
    /// - Parameters:
    ///   - detail: what is needed in addition to their number.
    ///   - witnessed: called with each row whose load was witnessed; nil if not needed.
    func groups(
        of filter: RecordFilter, _ detail: GroupDetail, witnessed: ((ScannedRow) throws -> Void)?
    ) throws -> [LoadBatch]

    /// The number of loads by gate (machine and label) and verdict.
    ///
    /// - Throws: ``StoreError/otherKind(path:cause:)`` if the store does not distinguish gates.
    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]]

    /// Calls `body` with one row for each of `candidates`: the first of its places whose row can be read.
    ///
    /// - Parameter body: receives the index of the candidate.
    func forEachRow(at candidates: [[StorePosition]], _ body: (_ index: Int, ScannedRow) throws -> Void) throws

    /// The position of the load with an id; nil if it does not exist.
    func place(ofLoad id: String) throws -> StorePosition?

    /// The current end of the store.
    func mark() throws -> StoreMark

    /// Calls `body` with rows stored after a mark, and advances the mark.
    ///
    /// - Parameter limit: the highest number of rows.
    func forEachRow(
        of filter: RecordFilter, filedAfter mark: inout StoreMark, limit: Int, _ body: (ScannedRow) throws -> Void
    ) throws
}

/// The loads that match a filter, up to an end. Made by a ``StoreView``, for views of the same source.
package protocol StoreScan: Sendable {}

/// The end of a store at the time of a read.
package enum StoreMark: Sendable, Hashable {
    /// Before the first load.
    case beginning
    /// The number of the last row of a file.
    case row(Int64)
    /// The last load that each gate has filed in a shared store, by the identity of its spool.
    case gates([UInt128: Filed])
    /// Between two such marks, while the loads between them are read.
    case within(Span)

    /// The number of a load, and when its record was made, by its gate's clock, in microseconds since 1970-01-01 UTC.
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
        /// None of its loads began before, in microseconds since 1970-01-01 UTC; nil if unknown.
        package var since: Int64?
        /// The last load that was returned, in the order in which they began.
        package var behind: StorePosition?

        package init(from: [UInt128: Filed], to: [UInt128: Filed], since: Int64?) {
            self.from = from
            self.to = to
            self.since = since
        }
    }
}

/// How much is needed of a group of loads.
package enum GroupDetail: Sendable {
    /// Their number, and when the first and the last began.
    case ends
    /// Also the number of URLs.
    case urls
    /// Also the number of loads in each slice of time.
    case whole
}

/// A group of similar loads.
package struct LoadBatch {
    /// The positions of the first ones stored.
    package var places: [StorePosition]
    /// The position of the last one stored.
    package var last: StorePosition
    package let rule: String?
    package var loads: Int
    package var span: LoadSpan
    package var urls: URLTally

    package init(
        places: [StorePosition], last: StorePosition, rule: String?, loads: Int, span: LoadSpan,
        urls: URLTally = URLTally()
    ) {
        self.places = places
        self.last = last
        self.rule = rule
        self.loads = loads
        self.span = span
        self.urls = urls
    }
}
