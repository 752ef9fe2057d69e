import Bytes

extension MessageWriter {
    /// A part of a message that has fields.
    public enum Part: Sendable {
        case requestHead
        /// - Parameter keepsLength: see ``MessageWriter/keepsLength(_:framing:)``.
        case responseHead(keepsLength: Bool)
        case trailers
    }

    /// Calls `body` with name and value of every field for the next hop, then `finish`. Names keep their case, and the
    /// bytes stay valid until `finish` returns. For writers of another HTTP version.
    ///
    /// The rules are those of this type; the caller writes framing fields, Host and Via.
    public static func forwardFields(
        _ fields: FieldBlock, _ part: Part, each body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void,
        then finish: () -> Void
    ) {
        fields.storage.withUnsafeBytes { bytes in
            fields.walkForwarded(in: ByteView(bytes), dropped: dropped(from: part)) { record, view in
                body(view.slice(record.name), view.slice(record.value))
            }
            if case .requestHead = part, fields.hasMember(of: .te, equalTo: "trailers") {
                body(raw("te"), raw("trailers"))
            }
            finish()
        }
    }

    /// True if the received Content-Length is the length that GET would have (RFC 9110 section 8.6).
    public static func keepsLength(_ head: ResponseHead, framing: BodyFraming) -> Bool {
        framing == .none && head.status >= 200 && head.status != 204
    }

    private static func dropped(from part: Part) -> UInt64 {
        switch part {
        case .requestHead: hopByHop | KnownField.host.bit
        case .responseHead(let keepsLength): keepsLength ? hopByHop & ~KnownField.contentLength.bit : hopByHop
        case .trailers: notInTrailers
        }
    }

    private static func raw(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

extension FieldBlock {
    /// Calls `body` with each record that is neither in `dropped` nor named by Connection.
    @inline(__always)
    func walkForwarded(in view: ByteView, dropped: UInt64, _ body: (FieldRecord, ByteView) -> Void) {
        let nominees = nominees
        var offset = 0
        while offset < view.count {
            let record = FieldRecord(in: view, at: offset)
            offset = record.end
            let bit = record.bit
            guard bit & dropped == 0 else { continue }
            if bit & Self.neverNominated == 0,
                nominees.contains(where: { equalInAnyCase(view.slice($0), view.slice(record.name)) })
            {
                continue
            }
            body(record, view)
        }
    }

    /// The places of the field names in Connection, gathered once for all fields. ``WireLimits`` bounds their number. Its
    /// well-known options are not field names.
    private var nominees: [Range<Int>] {
        guard contains(.connection) else { return [] }
        var places: [Range<Int>] = []
        _ = hasMember(of: .connection) { view, member in
            func named(_ text: StaticString) -> Bool { view.matches(text, at: member.lowerBound, count: member.count) }
            if !(named("keep-alive") || named("close") || named("upgrade") || named("te")) { places.append(member) }
            return false
        }
        return places
    }

    /// Fields that a sender must not name in Connection, because the next hop needs them (RFC 9110 section 7.6.1).
    private static let neverNominated: UInt64 =
        KnownField.host.bit | KnownField.contentLength.bit | KnownField.upgrade.bit | KnownField.via.bit
        | KnownField.contentType.bit | KnownField.contentEncoding.bit | KnownField.authorization.bit
        | KnownField.cacheControl.bit
}
