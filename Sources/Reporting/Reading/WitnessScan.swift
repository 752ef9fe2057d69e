import Bytes
import Foundation
import Records

/// Collects device outcomes from the rows of witness mode. Loads of one form share the prediction, and each has its own
/// outcome. One row of a form is decoded; of the others only the outcome is read.
struct WitnessScan {
    private(set) var agreement = DeviceAgreement()
    private var forms = StoredForms()
    private var kinds = WeighedCache<Int64, Kind?>(.rows, limit: 4 << 20, count: 4096)
    /// A cache: most outcomes are one of a few.
    private var devices = WeighedCache<[UInt8], WitnessedLoad.Device?>(.rows, limit: 1 << 20, count: 4096)

    /// The data that rows of one form share.
    private struct Kind {
        let load: WitnessedLoad
        /// The position of the client's address in an entry; nil if the form has it.
        let address: Int?
    }

    /// Adds a row. A row that is not a record is skipped; the reader of its group reports it.
    mutating func add(_ row: ScannedRow, in view: any StoreView) throws {
        let found: Kind?
        do { found = try kind(of: row, in: view) } catch StoreError.unreadableRecord { return }
        guard let kind = found else { return }
        let values = EntryValues(row.entry)
        guard let value = (0..<values.count).lazy.map({ values[$0] }).first(where: { $0.starts(with: Self.key) }),
            let device = device(Array(value.dropFirst(Self.key.count)))
        else { return }
        var load = kind.load
        load.device = device
        load.rule = row.ruleText
        if let place = kind.address { load.client = Self.text(values[place]).hostPart }
        agreement.add(load)
    }

    private mutating func kind(of row: ScannedRow, in view: any StoreView) throws -> Kind? {
        if let known = kinds.value(for: row.form) { return known }
        let record = try forms.record(row, in: view)
        let blanks = try forms.form(of: row, in: view).text.namedBlanks
        let unread = WitnessedLoad.Device(outcome: .unknown, how: nil, confidence: "")
        let kind = WitnessedLoad(try DecodedRecord(record), verdict: record.verdict, device: unread).map { load in
            Kind(load: load, address: blanks.firstIndex { $0.name == "client.address" })
        }
        kinds.keep(kind, for: row.form, bytes: 512)
        return kind
    }

    private mutating func device(_ json: [UInt8]) -> WitnessedLoad.Device? {
        if let known = devices.value(for: json) { return known }
        let device = try? JSONDecoder().decode(DecodedObject<DeviceFields>.self, from: Data(json))
        let read = device.map(WitnessedLoad.Device.init)
        devices.keep(read, for: json, bytes: json.count + 64)
        return read
    }

    /// The inside of a JSON string. An address contains nothing that JSON escapes.
    private static func text(_ value: some Collection<UInt8>) -> String {
        String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    }

    /// The start of ``RecordFields/device`` in an entry. No other value begins like this, because quotation marks
    /// inside strings are escaped.
    private static let key = Array(",\"device\":".utf8)
}
