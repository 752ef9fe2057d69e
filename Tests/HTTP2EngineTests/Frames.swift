/// Hand-made frames, including those that no correct peer sends.
enum Frames {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings()

    static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + word(stream) + payload
    }

    static func word(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    static func settings(_ entries: [(UInt16, UInt32)] = []) -> [UInt8] {
        frame(4, 0, 0, entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + word($0.1) })
    }

    static func ping() -> [UInt8] { frame(6, 0, 0, [UInt8](repeating: 7, count: 8)) }

    static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> [UInt8] { frame(3, 0, stream, word(code)) }

    static func goAway(last: UInt32, _ code: UInt32) -> [UInt8] { frame(7, 0, 0, word(last) + word(code)) }

    static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> [UInt8] {
        frame(0, ends ? 1 : 0, stream, bytes)
    }

    static func windowUpdate(_ stream: UInt32, _ count: UInt32 = 1) -> [UInt8] { frame(8, 0, stream, word(count)) }

    /// A complete HEADERS frame with literal fields that are not added to the table.
    static func headers(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = true) -> [UInt8] {
        frame(1, ends ? 5 : 4, stream, block(fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }))
    }

    /// A header block as in RFC 7541 section 6.2.2, without Huffman coding.
    static func block(_ fields: [([UInt8], [UInt8])]) -> [UInt8] {
        fields.flatMap { [0] + string($0.0) + string($0.1) }
    }

    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    static let get: [(String, String)] = [
        (":method", "GET"), (":scheme", "https"), (":authority", "a.test"), (":path", "/"),
    ]

    /// The frames in `bytes`: type, flags, stream and payload.
    static func parse(_ bytes: [UInt8]) -> [(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])] {
        var frames: [(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])] = []
        var start = 0
        while start + 9 <= bytes.count {
            let length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            let stream = bytes[(start + 5)..<(start + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let end = start + 9 + length
            guard end <= bytes.count else { break }
            frames.append((bytes[start + 3], bytes[start + 4], stream, Array(bytes[(start + 9)..<end])))
            start = end
        }
        return frames
    }

    /// The code of the GOAWAY in `bytes`; nil without one.
    static func goAwayCode(in bytes: [UInt8]) -> UInt32? {
        parse(bytes).first { $0.type == 7 }.map { $0.payload[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    }

    /// The codes of the RST_STREAM frames in `bytes`, by stream.
    static func resets(in bytes: [UInt8]) -> [UInt32: UInt32] {
        var codes: [UInt32: UInt32] = [:]
        for frame in parse(bytes) where frame.type == 3 {
            codes[frame.stream] = frame.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        return codes
    }
}
