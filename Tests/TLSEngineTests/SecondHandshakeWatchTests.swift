import Seeded
import TLSEngine
import Testing

@Suite("a second handshake in one connection")
struct SecondHandshakeWatchTests {
    /// One side's bytes up to its Finished and after it.
    private static let whole: [UInt8] = [
        22, 3, 1, 0, 3, 1, 2, 3, 22, 3, 3, 0, 1, 0, 20, 3, 3, 0, 1, 1, 22, 3, 3, 0, 2, 9, 9, 23, 3, 3, 0, 0, 23, 3, 3,
        0, 3, 22,
        22, 22, 21, 3, 3, 0, 2, 1, 0,
    ]

    /// The reason for stopping a side that sends `bytes` in pieces; nil if it may continue.
    private func stop(_ bytes: [UInt8], pieces: Int, isRefused: Bool = false) -> SecondHandshakeWatch.Stop? {
        var watch = SecondHandshakeWatch(isRefused: isRefused)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            if let stop = piece.withUnsafeBytes({ watch.originSays($0) }) { return stop }
        }
        return nil
    }

    @Test(
        "one handshake, data and alerts pass; another handshake, or bytes that are not TLS, stop the side",
        arguments: [1, 2, 5, 1_000])
    func records(pieces: Int) {
        #expect(stop(Self.whole, pieces: pieces) == nil)
        #expect(stop(Self.whole + [22], pieces: pieces) == .handshake)
        #expect(stop(Self.whole + [20], pieces: pieces) == .handshake)
        #expect(stop(Self.whole + [23, 3, 3, 0x48, 1], pieces: pieces) == .noTLS)
        #expect(stop(Self.whole + [23, 3, 3, 0x48, 0], pieces: pieces) == nil)
        for byte in Array("G\0\u{18}".utf8) { #expect(stop(Self.whole + [byte], pieces: pieces) == .noTLS) }
        #expect(stop([23], pieces: pieces) == .noTLS)
        #expect(stop([21, 3, 3, 0, 2, 2, 40], pieces: pieces, isRefused: true) == nil)
        #expect(stop([22], pieces: pieces, isRefused: true) == .handshake)
    }

    @Test("damaged bytes stop a side in the same way at every split", arguments: [1, 2, 3] as [UInt64])
    func mutated(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<2_000 {
            var bytes = Self.whole
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let known = stop(bytes, pieces: bytes.count)
            for pieces in [1, 3, 7] { #expect(stop(bytes, pieces: pieces) == known, "seed \(seed), round \(round)") }
        }
    }
}
