import ATSPolicy
import Bytes
import TLSEngine
import Testing

@Suite("data after the handshake")
struct TransferTests {
    private func established(_ version: TLSVersion = .tls13) throws -> (origin: Side, server: Side) {
        var settings = try World().settings()
        settings.maximum = version
        let pair = try meeting(relaxedOffer, settings)
        carry(pair.origin, pair.server)
        return pair
    }

    @Test("a megabyte arrives as sent", arguments: TLSVersion.allCases)
    func bigTransfer(version: TLSVersion) throws {
        let (origin, server) = try established(version)
        let sent = (0..<1_048_577).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        sent.withUnsafeBytes { server.machine.send($0) }
        carry(origin, server, chunk: 65_536)
        #expect(Array(origin.plaintext.bytes) == sent)
    }

    @Test("data arrives as sent in any split", arguments: [1, 5, 1_448, 16_389, 100_000])
    func pieces(chunk: Int) throws {
        let (origin, server) = try established()
        let sent = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        sent.withUnsafeBytes { origin.machine.send($0) }
        carry(origin, server, chunk: chunk)
        #expect(Array(server.plaintext.bytes) == sent)
    }

    @Test("a record is at most 16 KiB, and sending no bytes writes none")
    func recordSize() throws {
        let (origin, _) = try established(.tls12)
        origin.machine.send(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(origin.outbox.isEmpty)
        [UInt8](repeating: 1, count: 50_000).withUnsafeBytes { origin.machine.send($0) }
        let bytes = Array(origin.outbox.bytes)
        var index = 0
        var records = 0
        while index + 5 <= bytes.count {
            let length = Int(bytes[index + 3]) << 8 | Int(bytes[index + 4])
            #expect(length <= 16_384 + 256)
            index += 5 + length
            records += 1
        }
        #expect(index == bytes.count)
        #expect(records >= 4)
    }

    @Test("close_notify closes one direction only", arguments: [TLSVersion.tls12, .tls13])
    func close(version: TLSVersion) throws {
        let (origin, server) = try established(version)
        origin.send("last words")
        origin.machine.sendClose()
        origin.machine.sendClose()
        carry(origin, server)
        #expect(server.text == "last words")
        #expect(server.machine.state == .closed)
        server.machine.inputEnded(reset: false)
        #expect(server.machine.state == .closed)
        server.send("answer")
        server.machine.sendClose()
        carry(origin, server)
        #expect(origin.text == "answer")
        #expect(origin.machine.state == .closed)
    }

    @Test("after close_notify no more data is sent")
    func nothingAfterClose() throws {
        let (origin, server) = try established()
        origin.machine.sendClose()
        carry(origin, server)
        origin.send("too late")
        #expect(origin.outbox.isEmpty)
        server.receive([1, 2, 3])
        #expect(server.machine.state == .closed)
    }

    @Test("closing before the end of the handshake has no effect")
    func closeEarly() throws {
        let server = try meeting(atsOffer, try World().settings()).server
        server.machine.sendClose()
        #expect(server.outbox.isEmpty)
        #expect(server.machine.state == .handshaking)
    }
}
