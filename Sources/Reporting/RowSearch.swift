import Bytes
import GRDB
import Records

/// Looks for words, and for devices, in the rows of a store. One row of those with the same form and diagnosis is read
/// whole; of the others only what is their own.
final class RowSearch {
    /// Where an entry has what is looked at; nil for what its form has.
    private struct Places {
        let url: (place: Int, beginning: [UInt8])?
        let method: Int?
        let status: Int?
        let address: Int?
        let diagnosis: [Int?]

        init(_ form: RecordForm) {
            let blanks = form.namedBlanks
            func place(_ name: String) -> Int? { blanks.firstIndex { $0.name == name } }
            url = place("load.url").map { ($0, blanks[$0].beginning) }
            method = place("load.method")
            status = place("status")
            address = place("client.address")
            diagnosis = [place("findings"), place("apple")]
        }
    }

    private struct Kind: Hashable {
        let form: Int64
        /// Of the bytes of the diagnosis: a number, because there may be many.
        let digest: Int
    }

    /// What rows of a kind have in common.
    private struct Shared {
        let fields: [[UInt8]]
        /// nil where the address is what tells devices apart.
        let label: String?
    }

    private let search: LoadSearch
    private let devices: Set<String>
    private var forms: StoredForms
    private var places = WeighedCache<Int64, Places>(.rows, limit: 1 << 20, count: 4096)
    private var kinds = WeighedCache<Kind, Shared>(.rows, limit: 4 << 20, count: 4096)

    /// nil where nothing is looked for.
    init?(_ filter: LoadFilter, noting damage: StoreDamage) {
        guard !filter.search.isEmpty || !filter.devices.isEmpty else { return nil }
        search = filter.search
        devices = filter.devices
        forms = StoredForms(noting: damage)
    }

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` for a row that is no record.
    func matches(_ row: RowScan.Row, in db: Database) throws -> Bool {
        let places = try places(of: row, in: db)
        let values = EntryValues(row.entry)
        let shared = try shared(row, values, places, in: db)
        let address = places.address.map { Self.text(values[$0]).hostPart }
        guard devices.isEmpty || devices.contains(shared.label ?? address ?? "") else { return false }
        guard !search.isEmpty else { return true }
        var fields = shared.fields
        if let url = places.url { fields.append((url.beginning + values[url.place]).loweredASCII) }
        for place in [places.method, places.status] {
            if let place { fields.append(Array(Self.text(values[place]).utf8).loweredASCII) }
        }
        if let address { fields.append(Array(address.utf8).loweredASCII) }
        return search.matches(fields)
    }

    /// A JSON value that is no object; empty for null.
    private static func text(_ value: some Collection<UInt8>) -> String {
        let text = String(decoding: value, as: UTF8.self)
        return text == "null" ? "" : text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
    }

    private func places(of row: RowScan.Row, in db: Database) throws -> Places {
        if let known = places.value(for: row.form) { return known }
        let found = Places(try forms.form(of: row, in: db).text)
        places.keep(found, for: row.form, bytes: 128 + (found.url?.beginning.count ?? 0))
        return found
    }

    private func shared(
        _ row: RowScan.Row, _ values: EntryValues, _ places: Places, in db: Database
    ) throws -> Shared {
        var hasher = Hasher()
        for place in places.diagnosis { values[place].withContiguousBytes { hasher.combine(bytes: $0) } }
        let kind = Kind(form: row.form, digest: hasher.finalize())
        if let known = kinds.value(for: kind) { return known }
        let record = try ReportedLoad(forms.record(row, in: db))
        let fields = SearchedFields(record)
        // In the order of `own`: what this form has no blank for is shared, too.
        let isOwn = [places.url != nil, places.method != nil, places.status != nil, places.address != nil]
        let shared = Shared(
            fields: fields.shared + zip(fields.own, isOwn).filter { !$0.1 }.map(\.0),
            label: record.client.label ?? (places.address == nil ? fields.device : nil))
        kinds.keep(shared, for: kind, bytes: shared.fields.reduce(64) { $0 + $1.count + 16 })
        return shared
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    fileprivate func withContiguousBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: self)))
    }
}
