import Bytes
import Records

/// Tests loads for words and devices. Loads with the same shared row and diagnosis have most of the searched fields in
/// common, so these are searched once; of each load only its own values are searched, for the words not found before.
package final class LoadMatcher {
    private struct Kind: Hashable {
        let shared: Int64
        let diagnosis: Int64
    }

    private let search: LoadSearch
    private let devices: Set<String>
    /// The words that do not occur in what loads of a kind share.
    private var kinds = WeighedCache<Kind, LoadSearch>(.rows, limit: 4 << 20, count: 4096)

    /// nil if every load matches.
    package init?(_ filter: RecordFilter) {
        guard !filter.search.isEmpty || !filter.devices.isEmpty else { return nil }
        search = filter.search
        devices = filter.devices
    }

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    package func matches(_ row: LoadRow) throws(StoreError) -> Bool {
        if !devices.isEmpty, !devices.contains(row.device) { return false }
        let rest = try rest(for: row)
        return rest.isEmpty || rest.matches(SearchedFields.own(of: row))
    }

    private func rest(for row: LoadRow) throws(StoreError) -> LoadSearch {
        let kind = Kind(shared: row.shared.number, diagnosis: row.diagnosis?.number ?? 0)
        if let known = kinds.value(for: kind) { return known }
        let rest = search.rest(notIn: SearchedFields.shared(of: try row.record()))
        kinds.keep(rest, for: kind, bytes: 256)
        return rest
    }
}

extension LoadRow {
    /// The client's address without its port.
    var address: String { columns.client.hostPart }

    /// The client's display name: its label, else its address.
    var device: String { shared.record.client.label ?? address }
}
