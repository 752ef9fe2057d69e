import CPoll
import Dispatch
import Foundation
import Logging
import NetLoop
import ProxyCore
import ProxyServer
import Reporting
import Testing

/// A gate that ends while its parent keeps the listening socket for the next one.
@Suite(.timeLimit(.minutes(2)))
struct HandedSocketTests {
    @Test("an accepted client that has sent a request is answered, also if its loop reads it after the drain begins")
    func nobodyIsLost() throws {
        let kept = try Self.socket()
        defer { close(kept.descriptor) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-handed-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = GateSettings()
        settings.listeners = [ListenAddress(host: "127.0.0.1", port: Int(kept.address.port))]
        settings.handed = try InheritedSockets(adopting: [dup(kept.descriptor)])
        settings.caDirectory = folder.path
        settings.loops = 2
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var opening = try GateOpening(settings)
        opening.ownSite = OwnSite { request in
            guard request.path == "/block" else { return nil }
            entered.signal()
            leave.wait()
            return nil
        }
        let archive = Archive(sinks: []) { _ in }
        let gate = try Gate(opening, archive: archive, log: Logger(label: "handed"))
        var clients: [Int32] = []
        defer { for client in clients { close(client) } }
        // Clients alternate between the second and the first loop, and the port determines which loop accepts.
        // The accepting loop must not be blocked.
        if kept.address.port % 2 == 1 {
            clients.append(try Self.asks("/", at: kept.address))
            #expect(try Self.answer(to: clients[0]).hasPrefix("HTTP/1.1 4"))
        }
        let first = clients.count
        clients.append(try Self.asks("/block", at: kept.address))
        try #require(entered.wait(timeout: .now() + 30) == .success)
        for _ in 0..<7 { clients.append(try Self.asks("/", at: kept.address)) }
        // The accepting loop has answered the last one, so all are accepted.
        #expect(try Self.answer(to: clients[first + 7]).hasPrefix("HTTP/1.1 4"))
        let drained = DispatchSemaphore(value: 0)
        gate.drain { drained.signal() }
        leave.signal()
        try #require(drained.wait(timeout: .now() + 60) == .success)
        for client in clients[first...].dropLast() { #expect(try Self.answer(to: client).hasPrefix("HTTP/1.1 4")) }
        var peer = cpoll_address()
        #expect(cpoll_accept(kept.descriptor, &peer) == -EAGAIN)
        _ = archive.close()
    }

    private static func socket() throws -> (descriptor: Int32, address: cpoll_address) {
        // 127.0.0.1 with port 0.
        let words: (UInt64, UInt64) = ((UInt64(0x7F00_0001) << 32).bigEndian, 0)
        var address = cpoll_address(words: words, scope: 0, port: 0, version: 4)
        let descriptor = cpoll_listen(&address, 128)
        try #require(descriptor >= 0)
        try #require(cpoll_local(descriptor, &address) == 0)
        return (descriptor, address)
    }

    private static func asks(_ path: String, at address: cpoll_address) throws -> Int32 {
        var (address, client) = (address, Int32(-1))
        try #require(cpoll_connect(&address, &client) >= 0)
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(address.port)\r\n\r\n".utf8)
        try #require(cpoll_write(client, request, request.count) == request.count)
        return client
    }

    /// The first bytes of the response; empty if the connection broke.
    private static func answer(to client: Int32) throws -> String {
        var readable = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        try #require(poll(&readable, 1, 30_000) == 1)
        var bytes = [UInt8](repeating: 0, count: 12)
        let count = cpoll_read(client, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
