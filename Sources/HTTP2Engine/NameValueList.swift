internal import CNghttp2
internal import HTTPWire

/// The fields of a head for nghttp2, in reused memory. nghttp2 copies them on submission and lowercases the names
/// (`nghttp2_nv`: flags 0). So only our own text is copied here.
struct NameValueList: ~Copyable {
    private var pairs = UnsafeMutableBufferPointer<nghttp2_nv>(start: nil, count: 0)
    private(set) var count = 0
    /// Bytes that nghttp2 copies, with its overhead for each field.
    private(set) var bytes = 0
    /// Our own text: pseudo-header fields and numbers. Never moves while a list is being built.
    private var text = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var textUsed = 0

    init() {}

    deinit {
        pairs.deallocate()
        text.deallocate()
    }

    /// Starts a new list.
    ///
    /// - Parameters:
    ///   - textBytes: at least the bytes of all text for ``add(_:text:)``.
    ///   - fields: at least the number of fields to add.
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

    /// Adds a field whose bytes stay valid until nghttp2 has copied the list.
    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        precondition(count < pairs.count)
        pairs.initializeElement(
            at: count,
            to: nghttp2_nv(
                name: Self.bytes(name), value: Self.bytes(value), namelen: name.count, valuelen: value.count, flags: 0))
        count += 1
        bytes &+= name.count &+ value.count &+ MemoryLayout<nghttp2_nv>.stride
    }

    /// Adds a field whose value is copied.
    mutating func add(_ name: StaticString, text value: String) {
        let start = textUsed
        put(value)
        add(Self.raw(name), UnsafeRawBufferPointer(rebasing: text[start..<textUsed]))
    }

    /// Adds a field whose value is two parts and a space.
    mutating func add(_ name: StaticString, _ first: StaticString, _ second: StaticString) {
        let start = textUsed
        put(Self.raw(first))
        put(Self.raw(" "))
        put(Self.raw(second))
        add(Self.raw(name), UnsafeRawBufferPointer(rebasing: text[start..<textUsed]))
    }

    /// Passes the list to `call`.
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

    /// Returns a mutable pointer, as the type of `nghttp2_nv` requires. nghttp2 does not write through it.
    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        let start = buffer.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        return UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    }

    private static func raw(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
