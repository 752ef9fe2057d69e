internal import HTTPWire

/// A head or trailers that are being received, field by field. One per connection: header blocks are not interleaved
/// (RFC 9113 section 4.3).
///
/// The first fault is kept, and thrown at the end of the block, when the message is known as completely as possible.
struct HeadDraft: ~Copyable {
    /// The kind of block.
    enum Kind {
        /// `extended`: `:protocol` was allowed (RFC 8441 section 3).
        case request(extended: Bool)
        case response
        case trailers
    }

    private var kind = Kind.trailers
    var fields = FieldGatherer()
    private(set) var pseudo = PseudoDraft()
    private(set) var fault: HTTP2MessageFault?
    /// True after the first regular field.
    private var hasRegular = false
    /// Counted as in RFC 9113 section 6.5.2.
    private(set) var listBytes = 0
    private var fieldCount = 0

    /// Starts a new block.
    mutating func begin(_ kind: Kind) {
        self.kind = kind
        fields.removeAll()
        pseudo = PseudoDraft()
        fault = nil
        hasRegular = false
        listBytes = 0
        fieldCount = 0
    }

    /// Adds one field. After a fault, keeps only pseudo-header fields. Once a block is too large, keeps no further
    /// field.
    mutating func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, within limits: HTTP2Limits
    ) {
        fieldCount &+= 1
        listBytes &+= name.count &+ value.count &+ 32
        do throws(HTTP2MessageFault) {
            guard listBytes <= limits.headerListBytes else { throw .wire(.headTooLarge) }
            guard fieldCount <= limits.fieldCount else { throw .wire(.tooManyFields) }
            if name.first == Self.colon { return try takePseudo(name, value) }
            hasRegular = true
            guard fault == nil else { return }
            try takeRegular(name, value)
        } catch {
            if fault == nil { fault = error }
        }
    }

    private mutating func takeRegular(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(HTTP2MessageFault) {
        do throws(WireError) {
            try fields.append(name, value)
        } catch {
            throw Self.fault(of: error, name, value)
        }
    }

    /// Returns the HTTP/2 fault for an error of the gatherer.
    private static func fault(
        of error: WireError, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> HTTP2MessageFault {
        let isToken = Method(untrusted: name) != nil
        switch error {
        case .badFieldName where name.contains { $0 &- 0x41 < 26 }: return .upperCaseName
        case .badFieldName where isToken: return .connectionField
        case .badFieldValue where value.first.map(isBlank) == true || value.last.map(isBlank) == true:
            return .blankAroundValue
        case .badFieldValue where name.isEqual("te"): return .connectionField
        default: return .wire(error)
        }
    }

    private mutating func takePseudo(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(HTTP2MessageFault) {
        guard let field = PseudoField(name), isAllowed(field) else { throw .unknownPseudoField }
        guard !hasRegular else { throw .latePseudoField }
        let isFirst: Bool
        do throws(WireError) {
            isFirst = try pseudo.take(field, value)
            if isFirst, field == .authority { try fields.appendHost(value) }
        } catch {
            pseudo.noteRefused(field, value)
            throw .badPseudoField
        }
        guard isFirst else { throw .repeatedPseudoField }
    }

    private func isAllowed(_ field: PseudoField) -> Bool {
        switch kind {
        case .request(let extended): field != .status && (field != .protocol || extended)
        case .response: field == .status
        case .trailers: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static let colon: UInt8 = 0x3A
}
