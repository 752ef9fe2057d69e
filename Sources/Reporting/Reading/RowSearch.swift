import Bytes
import Records

/// Searches rows of a store for words and devices. Rows with the same form and rule share a diagnosis, as for
/// ``GroupScan``, so only one of them is decoded. Of the others only their own values are searched, for the words not
/// found before. That costs a hundredth of decoding the row.
package final class RowSearch {
    /// Positions of searched values in an entry; nil if they are in the form.
    private struct Positions {
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
        /// A hash of the rule's bytes.
        let digest: Int
    }

    /// The data that rows of a kind share.
    private struct Shared {
        /// Words that do not occur in what they share.
        let rest: LoadSearch
        /// nil if devices are named by their address.
        let label: String?
    }

    private let search: LoadSearch
    private let devices: Set<String>
    private var forms = StoredForms()
    private var places = WeighedCache<Int64, Positions>(.rows, limit: 1 << 20, count: 4096)
    private var kinds = WeighedCache<Kind, Shared>(.rows, limit: 4 << 20, count: 4096)

    /// nil if there is nothing to search for.
    package init?(_ search: LoadSearch, devices: Set<String>) {
        guard !search.isEmpty || !devices.isEmpty else { return nil }
        self.search = search
        self.devices = devices
    }

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` for a row that is not a record.
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

    /// The text of a JSON value that is not an object; empty for null.
    private static func text(_ value: some Collection<UInt8>) -> String {
        let text = String(decoding: value, as: UTF8.self)
        return text == "null" ? "" : text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
    }

    private func places(of row: ScannedRow, in view: any StoreView) throws -> Positions {
        if let known = places.value(for: row.form) { return known }
        let found = Positions(try forms.form(of: row, in: view).text)
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
        // In the order of `own`: values without a blank in this form are shared too.
        let isOwn = [places.url != nil, places.method != nil, places.status != nil, places.address != nil]
        let found = fields.shared + zip(fields.own, isOwn).filter { !$0.1 }.map(\.0)
        let shared = Shared(
            rest: search.rest(behind: found),
            label: load.label ?? (places.address == nil ? load.device : nil))
        kinds.keep(shared, for: kind, bytes: 256 + (shared.label?.utf8.count ?? 0))
        return shared
    }
}
