internal import CNghttp2
internal import HTTPWire

/// The fields of a head on its way to nghttp2, in memory that is used again. nghttp2 copies them when it takes them,
/// and makes the names lower-case then (`nghttp2_nv`: flags 0), so nothing is copied here but our own text.
struct NameValueList: ~Copyable {
    private var pairs = UnsafeMutableBufferPointer<nghttp2_nv>(start: nil, count: 0)
    private(set) var count = 0
    /// Bytes that nghttp2 copies, with what it keeps for each field.
    private(set) var bytes = 0
    /// Text of ours: pseudo-header fields and numbers. It never moves while a list is being made.
    private var text = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var textUsed = 0

    init() {}

    deinit {
        pairs.deallocate()
        text.deallocate()
    }

    /// Begins a new list.
    ///
    /// - Parameters:
    ///   - textBytes: at least the bytes of all text that ``add(_:text:)`` will be given.
    ///   - fields: at least the fields that will be added.
    mutating func begin(textBytes: Int, fields: Int) {
        count = 0
        bytes = 0
        textUsed = 0
        if text.count < textBytes {
            text.deallocate()
            text = .allocate(byteCount: max(textBytes, 1_024), alignment: 16)
        }
        if pairs.count < fields {
            pairs.deallocate()
            pairs = .allocate(capacity: max(fields, 64))
        }
    }

    /// Adds a field whose bytes stay where they are until nghttp2 has taken the list.
    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        precondition(count < pairs.count)
        pairs.initializeElement(
            at: count,
            to: nghttp2_nv(
                name: Self.bytes(name), value: Self.bytes(value), namelen: name.count, valuelen: value.count, flags: 0))
        count += 1
        bytes &+= name.count &+ value.count &+ MemoryLayout<nghttp2_nv>.stride
    }

    /// Adds a field with a value that is copied.
    mutating func add(_ name: StaticString, text value: String) {
        let start = textUsed
        put(value)
        add(Self.raw(name), UnsafeRawBufferPointer(rebasing: text[start..<textUsed]))
    }

    /// Adds a field with a value that is made of two parts and a space.
    mutating func add(_ name: StaticString, _ first: StaticString, _ second: StaticString) {
        let start = textUsed
        put(Self.raw(first))
        put(Self.raw(" "))
        put(Self.raw(second))
        add(Self.raw(name), UnsafeRawBufferPointer(rebasing: text[start..<textUsed]))
    }

    /// Hands the list over.
    func submit(_ call: (UnsafePointer<nghttp2_nv>?, Int) -> Int32) -> Int32 {
        call(pairs.baseAddress.map { UnsafePointer($0) }, count)
    }

    private mutating func put(_ value: String) {
        var value = value
        value.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= text.count - textUsed)
        UnsafeMutableRawBufferPointer(rebasing: text[textUsed..<(textUsed + bytes.count)]).copyMemory(from: bytes)
        textUsed += bytes.count
    }

    /// nghttp2 does not write through these, though their type would let it.
    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        let start = buffer.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        return UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    }

    private static func raw(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
