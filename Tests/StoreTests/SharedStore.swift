import Fleet
import Foundation
import Postgres
import PostgresServer
import Records
import Reporting
import Testing

/// A database on the server that all tests share. Each gate ships its spool to it. Only the logins with the roles for
/// writing, reading and changing use it.
final class SharedStore: TestStore {
    let folder: String
    private let server: PostgresServer
    private let database: String
    private var gates: [Int: Gate] = [:]

    private struct Gate {
        let sink: StoreSink
        let shipping: Shipping
    }

    private enum Login: String {
        case writer, reader, maintainer
    }

    init(in folder: String) throws {
        self.folder = folder
        server = try PostgresServer.shared()
        database = try server.makeDatabase(beginningAs: "a store with logins") { connection in
            _ = try SharedSchema.make(on: connection)
            for login in [Login.writer, .reader, .maintainer] {
                try connection.run("CREATE ROLE store_\(login.rawValue) LOGIN IN ROLE atsgate_\(login.rawValue)")
            }
        }
    }

    private func address(_ login: Login) throws -> PostgresAddress {
        try PostgresAddress(server.socketURL(user: "store_\(login.rawValue)", database: database))
    }

    var reader: StoreReader { get throws { try StoreReader(address(.reader)) } }

    func write(_ loads: [LoadRecord], gate: Int) throws {
        try opened(gate).sink.write(loads)
        try ship(gate)
    }

    func begin(_ recording: String) throws {
        try opened(0).sink.begin(recording)
        try ship(0)
    }

    private func opened(_ number: Int) throws -> Gate {
        if let gate = gates[number] { return gate }
        let path = path("spool\(number).db")
        let sink = try StoreSink(path: path)
        let gate = Gate(sink: sink, shipping: try shipping(path))
        gates[number] = gate
        return gate
    }

    private static let description = GateDescription(host: "machine.test", label: "phones", version: "0.0.0")

    private func shipping(_ path: String) throws -> Shipping {
        try Shipping(Spool(path: path), to: address(.writer), as: Self.description, timeout: .seconds(60))
    }

    private func ship(_ gate: Int) throws { try ship(opened(gate).shipping) }

    private func ship(_ shipping: Shipping) throws {
        while true {
            let step = try shipping.shipNext()
            if let refusal = step.refusal { Issue.record("refused: \(refusal)") }
            if step.isAtEnd { break }
        }
        try shipping.report(Self.description, isLast: true)
    }

    func rename(_ recording: String, to new: String) throws {
        try SharedRecordings(address(.maintainer)).rename(recording, to: new)
    }

    func delete(_ recordings: [String]) throws -> Int {
        try SharedRecordings(address(.maintainer)).delete(recordings)
    }

    func prune(olderThan age: Duration) throws -> Int {
        let retention = DayRetention(ageMilliseconds: age.components.seconds * 1000)
        return Int(try SharedRecordings(address(.maintainer)).prune(retention) { _, _ in }.loads)
    }

    /// Imports through a separate spool, and refuses names of other recordings, as the command does.
    func importRecordings(_ file: String, as newName: String?) throws -> (names: [String], added: Int) {
        let path = path("import \(UUID().uuidString).db")
        try StoreSink(path: path).close()
        let taken = try StoreEditor(path: path).importRecordings(file, as: newName)
        let there = try Set(reader.recordings().map(\.name))
        for name in taken.names where there.contains(name) {
            let first = try StoreReader(path: path).page(of: RecordFilter(recording: name), limit: 1).records.first
            guard let first, try reader.record(id: first.id) == nil else { continue }
            throw StoreError.nameTaken(path: path, name: name)
        }
        let before = try rows(of: "load")
        try ship(shipping(path))
        return (taken.names, try rows(of: "load") - before)
    }

    func rows(of table: String) throws -> Int {
        let connection = try PostgresConnection(address(.reader), as: "tests", timeout: .seconds(60))
        return Int(try connection.query("SELECT count(*) FROM atsgate.\(table)")[0].int(0))
    }

    func close() {
        for gate in gates.values { try? gate.sink.close() }
        gates = [:]
        try? server.drop(database)
    }
}
