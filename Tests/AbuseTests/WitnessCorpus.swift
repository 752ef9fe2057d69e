import Seeded

/// Beginnings of connections, from a seed, that a server may or may not accept as an HTTP request.
struct WitnessCorpus {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// The bytes of a client, in the pieces in which it sends them.
    mutating func pieces(wantsHeader: Bool) -> [[UInt8]] {
        // A third of them are valid for any server.
        let isPlain = chance(33)
        var bytes = isPlain ? [] : prefix()
        if wantsHeader ? chance(isPlain ? 100 : 80) : !isPlain && chance(8) {
            bytes = proxyHeader() + (chance(70) ? [] : bytes)
        }
        bytes += isPlain ? Self.plain : request()
        if !isPlain, chance(25) { mutate(&bytes) }
        var pieces: [[UInt8]] = []
        for _ in 0..<number(0...2) where bytes.count > 1 {
            // Cuts near the ends find the most.
            let cut = chance(50) ? number(1...min(40, bytes.count - 1)) : number(1...(bytes.count - 1))
            pieces.append(Array(bytes[..<cut]))
            bytes.removeFirst(cut)
        }
        return pieces + [bytes]
    }

    // MARK: Before the request

    private mutating func prefix() -> [UInt8] {
        switch number(0...9) {
        case 0...4: return []
        case 5: return Self.repeated(chance(70) ? Self.lineEnds.pick(&generator) : blank(), to: count())
        case 6: return (0..<number(1...12)).flatMap { _ in blank() }
        case 7: return Self.others.pick(&generator)
        case 8: return Self.others.pick(&generator) + Self.lineEnds.pick(&generator)
        default: return (0..<number(1...8)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }

    /// A count near a limit at which some parser may stop.
    private mutating func count() -> Int {
        let bound = [1, 2, 10, 100, 512, 4_000, 8_000, 8_192, 16_000, 32_768].pick(&generator)
        return max(1, bound + number(-6...6))
    }

    /// Versions 1 and 2 (haproxy, proxy-protocol.txt), with and without what may follow the addresses.
    private mutating func proxyHeader() -> [UInt8] {
        let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
        let addresses: [UInt8] =
            [127, 0, 0, 1, 127, 0, 0, 1]
            + (0..<4).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
        switch number(0...4) {
        case 0: return Array("PROXY TCP4 127.0.0.1 127.0.0.1 4000 80\r\n".utf8)
        case 1: return Array("PROXY UNKNOWN\r\n".utf8)
        case 2: return signature + [0x20, 0, 0, 0]
        case 3: return signature + [0x21, 0x11, 0, 12] + addresses
        default:
            let extra = [UInt8](repeating: 0x41, count: number(0...300))
            let length = 12 + 3 + extra.count
            let tail: [UInt8] = [4, UInt8(extra.count >> 8), UInt8(extra.count & 255)]
            return signature + [0x21, 0x11, UInt8(length >> 8), UInt8(length & 255)] + addresses + tail + extra
        }
    }

    // MARK: The request

    private mutating func request() -> [UInt8] {
        var method = Array(["GET", "GET", "GET", "HEAD", "POST", "get", "PROPFIND", "X"].pick(&generator).utf8)
        if chance(5) { method = Self.repeated([0x41], to: count()) }
        let target = Array(["/", "/", "/", "/x", "*", "http://denied.test/", "x"].pick(&generator).utf8)
        let version = Array(
            ["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "", "http/1.1", "HTTP/2.0", "HTTP/1.1 "].pick(&generator)
                .utf8)
        let end = chance(85) ? [13, 10] : Self.lineEnds.pick(&generator)
        let fields = ["Host: denied.test", "Host: denied.test", "", "Host: a\r\nHost: b"].pick(&generator)
        var bytes = method + separator() + target
        if !version.isEmpty { bytes += separator() + version }
        bytes += end
        if !fields.isEmpty { bytes += Array(fields.utf8) + end }
        return bytes + end
    }

    private mutating func separator() -> [UInt8] { chance(75) ? [0x20] : blank() }

    private mutating func blank() -> [UInt8] { Self.blanks.pick(&generator) }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        for _ in 0..<number(1...3) where !bytes.isEmpty {
            let place = chance(60) ? number(0...min(60, bytes.count - 1)) : number(0...(bytes.count - 1))
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            switch number(0...3) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            case 2: bytes.remove(at: place)
            default: bytes.insert(bytes[place], at: place)
            }
        }
    }

    private mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private static func repeated(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        Array((0...(count / bytes.count)).flatMap { _ in bytes }.prefix(count))
    }

    private static let plain = Array("GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n".utf8)
    private static let lineEnds: [[UInt8]] = [[13, 10], [10], [13]]
    /// Bytes that some parser may treat as a blank, or skip.
    private static let blanks: [[UInt8]] =
        [9, 10, 11, 12, 13, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x85, 0xA0, 0, 8, 0x7F].map { [$0] }
        + ["  ", " \t", "\u{85}", "\u{a0}", "\u{1680}", "\u{2003}", "\u{2028}", "\u{3000}", "\u{feff}", "\u{200b}"].map
    {
        Array($0.utf8)
    }
    /// Beginnings of other protocols.
    private static let others: [[UInt8]] =
        [
            "SSH-2.0-x", "EHLO a", "NICK a", "USER a 0 * :b", "a1 NOOP", "*1\r\n$4\r\nPING", "{}",
            "<?xml version='1.0'?>",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM",
        ].map { Array($0.utf8) } + [
            [0], [0x10, 12, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 0], [5, 1, 0],
            [4, 1, 0, 80, 127, 0, 0, 1, 0],
            [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, 0, 80], [0x16, 3, 1], [0x15, 3, 3, 0, 2, 1, 0], [0x80, 0x2E, 1, 3, 1],
        ]
}

extension Array {
    /// One element of a list that is not empty.
    fileprivate func pick(_ generator: inout some RandomNumberGenerator) -> Element {
        self[Int.random(in: indices, using: &generator)]
    }
}
