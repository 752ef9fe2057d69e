import Bytes

/// Writes into memory of fixed size. Writing past its end stops the program.
struct MemoryWriter {
    private let room: UnsafeMutableRawBufferPointer
    /// Bytes written.
    private(set) var used = 0

    init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, let start = room.baseAddress else { return }
        precondition(bytes.count <= room.count &- used)
        (start + used).copyMemory(from: source, byteCount: bytes.count)
        used &+= bytes.count
    }

    @inline(__always)
    mutating func put(_ text: StaticString) {
        put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes text. The label keeps literals out of this overload, which would cost 90 instructions each time
    /// (callgrind).
    mutating func put(text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        precondition(used < room.count)
        room[used] = byte
        used &+= 1
    }

    /// Replaces the control characters written since `start` with spaces.
    mutating func blankControls(from start: Int) {
        let written = ByteView(UnsafeRawBufferPointer(room))
        var index = written.firstControl(from: start, to: used)
        while index < used {
            room[index] = Ascii.space
            index = written.firstControl(from: index, to: used)
        }
    }

    /// Writes eight bytes, lowest first.
    @inline(__always)
    mutating func put(word: UInt64) {
        precondition(room.count &- used >= 8)
        room.storeBytes(of: word.littleEndian, toByteOffset: used, as: UInt64.self)
        used &+= 8
    }

    /// Writes `number` in digits of `radix` (10 or 16), at most 20 of them.
    mutating func put<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number, radix: Number) {
        var divisor: Number = 1
        while number / divisor >= radix { divisor *= radix }
        var rest = number
        while divisor > 0 {
            let digit = UInt8(truncatingIfNeeded: rest / divisor)
            put(digit < 10 ? Ascii.zero &+ digit : 0x57 &+ digit)
            rest %= divisor
            divisor /= radix
        }
    }

    /// Writes Host, from the target if that contains one (RFC 9112 section 3.2.2), otherwise as received. Writes an
    /// empty Host if an HTTP/1.0 message had none, because HTTP/1.1 requires one (RFC 9112 section 3.2).
    mutating func putHost(of head: RequestHead) {
        switch head.target {
        case .absolute(let target):
            put("Host: ")
            putAuthority(host: target.host, port: target.port)
            put("\r\n")
        case .authority(let host, let port):
            put("Host: ")
            putAuthority(host: host, port: port)
            put("\r\n")
        case .path, .asterisk:
            guard head.fields.contains(.host) else { return put("Host: \r\n") }
            head.fields.walk { record, view in
                guard record.isField(.host) else { return true }
                put(view.slice(record.line))
                return false
            }
        }
    }

    mutating func put(_ target: RequestTarget, asOriginForm: Bool) {
        switch target {
        case .absolute(let target):
            if !asOriginForm {
                put(checked: target.scheme)
                put("://")
                putAuthority(host: target.host, port: target.port)
                // RFC 9112 section 3.2.4: in absolute form, an empty path means the whole server.
                if target.path == "*" { return }
            }
            put(checked: target.path)
        case .authority(let host, let port): putAuthority(host: host, port: port)
        case .path(let path): put(checked: path)
        case .asterisk: put(Ascii.asterisk)
        }
    }

    private mutating func putAuthority(host: String, port: Int?) {
        let isAddress = host.utf8.withContiguousStorageIfAvailable { $0.contains(Ascii.colon) } ?? host.contains(":")
        if isAddress { put("[") }
        put(checked: host)
        if isAddress { put("]") }
        guard let port else { return }
        put(Ascii.colon)
        put(UInt64(max(port, 0)), radix: 10)
    }

    /// Copies the end-to-end fields, and returns the options that Connection must name.
    ///
    /// - Parameter takesTrailers: true to forward a received `TE: trailers`.
    mutating func putFields(
        of fields: FieldBlock, dropped: UInt64, keepUpgrade: Bool, takesTrailers: Bool
    ) -> ConnectionOptions {
        var options: ConnectionOptions = []
        if keepUpgrade, fields.contains(.upgrade) { options.insert(.upgrade) }
        let dropped = options.contains(.upgrade) ? dropped & ~KnownField.upgrade.bit : dropped
        fields.storage.withUnsafeBytes { bytes in
            fields.walkForwarded(in: ByteView(bytes), dropped: dropped) { record, view in put(view.slice(record.line)) }
        }
        if takesTrailers, fields.hasMember(of: .te, equalTo: "trailers") {
            put("TE: trailers\r\n")
            options.insert(.te)
        }
        return options
    }

    mutating func putFraming(_ framing: BodyFraming) {
        switch framing {
        case .fixed(let length):
            put("Content-Length: ")
            put(UInt64(max(length, 0)), radix: 10)
            put("\r\n")
        case .chunked: put("Transfer-Encoding: chunked\r\n")
        case .none, .untilClose: break
        }
    }

    mutating func putConnection(_ options: ConnectionOptions) {
        guard !options.isEmpty else { return }
        put("Connection: ")
        if options.contains(.upgrade) { put("upgrade") }
        if options.contains(.close) { put(options.contains(.upgrade) ? ", close" : "close") }
        if options.contains(.te) { put(options.isSubset(of: .te) ? "TE" : ", TE") }
        put("\r\n")
    }

    mutating func putProxyAuthorization(_ credentials: String) {
        put("Proxy-Authorization: ")
        put(checked: credentials)
        put("\r\n")
    }

    mutating func putVia(_ via: StaticString, _ version: StaticString) {
        put("Via: ")
        put(version)
        put(Ascii.space)
        put(via)
        put("\r\n")
    }

    /// Writes untrusted text. Control characters become spaces, so that it cannot inject a line.
    mutating func put(checked text: String) {
        let start = used
        put(text: text)
        blankControls(from: start)
    }
}

extension RequestTarget {
    /// Upper bound of the target's bytes, written in any form and once more as Host.
    var sizeBound: Int {
        switch self {
        case .absolute(let target):
            target.scheme.utf8.count + 2 * target.host.utf8.count + target.path.utf8.count + Self.punctuationBound
        case .authority(let host, _): 2 * host.utf8.count + Self.punctuationBound
        case .path(let path): path.utf8.count
        case .asterisk: 1
        }
    }

    /// Twice: brackets, colon and a port of 20 digits, and `://`.
    private static let punctuationBound = 64
}
