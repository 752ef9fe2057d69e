/// Building blocks for the frames that the client of a conformance case sends.
enum Client {
    static let hello: [UInt8] = [0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x21, 0x21, 0x21]
    static let hi = Frames.frame(6, 0, 0, hello)
    static let protocolError: UInt32 = 1
    static let flowControl: UInt32 = 3
    static let streamClosed: UInt32 = 5
    static let frameSize: UInt32 = 6
    static let refusedStream: UInt32 = 7
    static let compression: UInt32 = 9

    static let post = [(":method", "POST")] + Frames.get.dropFirst()

    static func get(_ stream: UInt32 = 1) -> [UInt8] { Frames.headers(stream, Frames.get) }

    /// A request without its end.
    static func open(_ stream: UInt32 = 1, _ more: [(String, String)] = []) -> [UInt8] {
        Frames.headers(stream, post + more, ends: false)
    }

    static func get(with more: (String, String)) -> [UInt8] { Frames.headers(1, Frames.get + [more]) }

    /// GET without one field, optionally with more fields at the end.
    static func get(without name: String, _ more: [(String, String)] = []) -> [UInt8] {
        Frames.headers(1, Frames.get.filter { $0.0 != name } + more)
    }

    /// GET as a header block.
    static let block = Frames.block(Frames.get.map { (Array($0.0.utf8), Array($0.1.utf8)) })

    /// A small field as a header block.
    static let field = Frames.block([(Array("x-dummy".utf8), Array("x".utf8))])

    /// GET in an incomplete HEADERS frame.
    static func begun(_ stream: UInt32 = 1, ends: Bool = true, part bytes: [UInt8] = block) -> [UInt8] {
        Frames.frame(1, ends ? 1 : 0, stream, bytes)
    }

    static func continuation(_ stream: UInt32, ends: Bool, _ bytes: [UInt8] = field) -> [UInt8] {
        Frames.frame(9, ends ? 4 : 0, stream, bytes)
    }

    /// GET with bytes after its header block, or before it.
    static func get(block more: [UInt8], isFirst: Bool = false) -> [UInt8] {
        Frames.frame(1, 5, 1, isFirst ? more + block : block + more)
    }

    static func priority(
        _ stream: UInt32, on other: UInt32 = 0, weight: UInt8 = 255, exclusive: Bool = false
    ) -> [UInt8] {
        Frames.frame(2, 0, stream, Frames.word(other | (exclusive ? 1 << 31 : 0)) + [weight])
    }

    static func test(_ stream: UInt32 = 1, ends: Bool = true) -> [UInt8] {
        Frames.data(stream, Array("test".utf8), ends: ends)
    }

    static func window(_ bytes: UInt32) -> [UInt8] { Frames.settings([(4, bytes)]) }
}
