import Bytes
import Records

/// Looks for words, and for devices, in the rows of a store. One row of those with the same form and rule is read whole,
/// for all of them are of one diagnosis, as for ``GroupScan``; of the others only what is their own, and that only for
/// words that were not found before. A row then costs a hundredth of reading it whole.
package final class RowSearch {
    /// Where an entry has what is looked at; nil for what its form has.
    private struct Places {
        let url: (place: Int, beginning: [UInt8])?
        let method: Int?
        let status: Int?
        let address: Int?

        init(_ form: RecordForm) {
            let blanks = form.namedBlanks
            func place(_ name: String) -> Int? { blanks.firstIndex { $0.name == name } }
            url = place("load.url").map { ($0, blanks[$0].beginning) }
            method = place("load.method")
            status = place("status")
            address = place("client.address")
        }
    }

    private struct Kind: Hashable {
        let form: Int64
        /// Of the bytes of the rule.
        let digest: Int
    }

    /// What rows of a kind have in common.
    private struct Shared {
        /// Words that are not found in what they share.
        let rest: LoadSearch
        /// nil where the address is what tells devices apart.
        let label: String?
    }

    private let search: LoadSearch
    private let devices: Set<String>
    private var forms = StoredForms()
    private var places = WeighedCache<Int64, Places>(.rows, limit: 1 << 20, count: 4096)
    private var kinds = WeighedCache<Kind, Shared>(.rows, limit: 4 << 20, count: 4096)

    /// nil where nothing is looked for.
    package init?(_ search: LoadSearch, devices: Set<String>) {
        guard !search.isEmpty || !devices.isEmpty else { return nil }
        self.search = search
        self.devices = devices
    }

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` for a row that is no record.
    package func matches(_ row: ScannedRow, in view: any StoreView) throws -> Bool {
        let shared = try shared(row, in: view)
        let isKnownDevice = devices.isEmpty || shared.label.map(devices.contains) == true
        guard isKnownDevice || shared.label == nil else { return false }
        guard !shared.rest.isEmpty || !isKnownDevice else { return true }
        let places = try places(of: row, in: view)
        let values = EntryValues(row.entry)
        let address = places.address.map { Self.text(values[$0]).hostPart } ?? ""
        guard isKnownDevice || devices.contains(address) else { return false }
        var fields = [Array(address.utf8).loweredASCII]
        if let url = places.url { fields.append((url.beginning + values[url.place]).loweredASCII) }
        for place in [places.method, places.status] {
            if let place { fields.append(Array(Self.text(values[place]).utf8).loweredASCII) }
        }
        return shared.rest.matches(fields)
    }

    /// A JSON value that is no object; empty for null.
    private static func text(_ value: some Collection<UInt8>) -> String {
        let text = String(decoding: value, as: UTF8.self)
        return text == "null" ? "" : text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
    }

    private func places(of row: ScannedRow, in view: any StoreView) throws -> Places {
        if let known = places.value(for: row.form) { return known }
        let found = Places(try forms.form(of: row, in: view).text)
        places.keep(found, for: row.form, bytes: 128 + (found.url?.beginning.count ?? 0))
        return found
    }

    private func shared(_ row: ScannedRow, in view: any StoreView) throws -> Shared {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(row.rule))
        let kind = Kind(form: row.form, digest: hasher.finalize())
        if let known = kinds.value(for: kind) { return known }
        let places = try places(of: row, in: view)
        let load = try LoadView(forms.record(row, in: view))
        let fields = SearchedFields(load)
        // In the order of `own`: what this form has no blank for is shared, too.
        let isOwn = [places.url != nil, places.method != nil, places.status != nil, places.address != nil]
        let found = fields.shared + zip(fields.own, isOwn).filter { !$0.1 }.map(\.0)
        let shared = Shared(
            rest: search.rest(behind: found),
            label: load.label ?? (places.address == nil ? load.device : nil))
        kinds.keep(shared, for: kind, bytes: 256 + (shared.label?.utf8.count ?? 0))
        return shared
    }
}
