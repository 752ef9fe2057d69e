import Fleet
import Postgres
import PostgresServer
import Records
import Reporting

/// A file and a shared store with the same loads of one gate.
final class SharedCopy {
    let rig: ShippingRig
    private let writer: PostgresAddress
    private let reader: PostgresAddress

    /// - Parameter empty: The names of recordings without loads.
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
    /// The store, read with a login that can only read.
    var shared: StoreReader { get throws { try StoreReader(reader) } }

    /// Ships the loads of the file that the store lacks.
    func ship() throws { try ShippingRig.ship(path, to: writer) }
}
