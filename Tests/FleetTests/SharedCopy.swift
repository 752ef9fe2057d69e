import Fleet
import Postgres
import PostgresServer
import Records
import Reporting

/// A file and a shared store with the same loads, of one gate.
final class SharedCopy {
    let rig: ShippingRig
    private let writer: PostgresAddress
    private let reader: PostgresAddress

    /// - Parameter empty: names of recordings to which no load came.
    init(_ loads: [LoadRecord], empty: [String] = []) throws {
        rig = try ShippingRig()
        writer = try rig.writer()
        reader = try rig.login(in: .reader)
        let sink = try StoreSink(path: path)
        for name in empty { try sink.begin(name) }
        try sink.write(loads)
        try sink.close()
        try ship()
    }

    var path: String { rig.path("store.db") }
    var file: StoreReader { get throws { try StoreReader(path: path) } }
    /// As a login that may read and nothing else.
    var shared: StoreReader { get throws { try StoreReader(reader) } }

    /// Brings those of the file that are not there yet.
    func ship() throws { try ShippingRig.ship(path, to: writer) }
}
