package import Text

/// A DNS question from a resolver of the command. Source: RFC 1035 sections 4.1 and 4.2.
package struct DNSQuestion: Hashable, Sendable {
    /// The requested record type.
    package enum RecordType: Hashable, Sendable {
        case version4, version6
        /// A record type that the gate does not provide.
        case other
    }

    /// In lower case, without a trailing dot.
    package let host: String
    package let wanted: RecordType
    private let identifier: (UInt8, UInt8)
    private let wantsRecursion: Bool
    /// The bytes of the question, for repetition in the answer.
    private let question: [UInt8]

    /// The result of reading a message: a question, an immediate answer to send, or a message without an answer.
    package enum Reading: Hashable, Sendable {
        case question(DNSQuestion)
        case answered([UInt8])
        case nothing
    }

    /// Reads any message.
    ///
    /// - Parameter message: without the length prefix used on connections.
    package static func read(_ message: [UInt8]) -> Reading {
        // A message without a complete header cannot be answered, and an answer is not a question.
        guard message.count >= headerBytes, message[2] & 0x80 == 0 else { return .nothing }
        guard (message[2] >> 3) & 0x0F == 0 else { return .answered(header(of: message, .notImplemented)) }
        guard message[4] == 0, message[5] == 1, let end = endOfName(message), end + 4 <= message.count else {
            return .answered(header(of: message, .formatError))
        }
        guard message[end + 2] == 0, message[end + 3] == Self.internet else {
            return .answered(header(of: message, .refused))
        }
        return .question(DNSQuestion(message, nameEnd: end))
    }

    private init(_ message: [UInt8], nameEnd: Int) {
        identifier = (message[0], message[1])
        wantsRecursion = message[2] & 1 != 0
        question = Array(message[Self.headerBytes..<(nameEnd + 4)])
        host = Self.host(message[Self.headerBytes..<nameEnd])
        wanted =
            switch (message[nameEnd], message[nameEnd + 1]) {
            case (0, 1): .version4
            case (0, 28): .version6
            default: .other
            }
    }

    /// Returns the end of the name, after its last length byte; nil if it exceeds the limits of RFC 1035 section 2.3.4.
    /// A question's name is the first one, so it has no compression pointer.
    private static func endOfName(_ message: [UInt8]) -> Int? {
        var place = headerBytes
        while place < message.count, place - headerBytes < longestName {
            let length = Int(message[place])
            guard length <= longestLabel else { return nil }
            place += 1 + length
            if length == 0 { return place }
        }
        return nil
    }

    /// Decodes a name. Bytes that no host name contains, including dots within a label, become `?`.
    private static func host(_ name: ArraySlice<UInt8>) -> String {
        var labels: [String] = []
        var rest = name
        while let length = rest.popFirst(), length > 0 {
            let label = rest.prefix(Int(length)).map { isNameByte($0) ? $0 : UInt8(ascii: "?") }
            labels.append(String(decoding: label, as: UTF8.self).lowercased())
            rest = rest.dropFirst(Int(length))
        }
        return labels.joined(separator: ".")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// True if the name is a host name that can be looked up.
    package var isResolvable: Bool { !host.isEmpty && !host.contains("?") }

    package static func == (one: DNSQuestion, other: DNSQuestion) -> Bool {
        one.identifier == other.identifier && one.question == other.question
            && one.wantsRecursion == other.wantsRecursion
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(question) }

    // MARK: Answers

    /// The result code of an answer. Raw values: RFC 1035 section 4.1.1, RCODE.
    package enum Code: UInt8, Sendable {
        case fine = 0, formatError = 1, serverFailure = 2, noSuchName = 3, notImplemented = 4, refused = 5
    }

    /// Returns an answer without records.
    package func answer(_ code: Code) -> [UInt8] { begin(code, records: 0) }

    /// Returns an answer with the addresses of the requested version, as many as fit into a datagram without extensions
    /// (RFC 1035 section 4.2.1: 512 bytes). No records mean that the name has no such address.
    package func answer(_ addresses: [IPAddress]) -> [UInt8] {
        let records = addresses.compactMap { record($0) }
        let room = (Self.datagramBytes - Self.headerBytes - question.count) / (records.first?.count ?? 1)
        let told = records.prefix(max(0, room))
        return begin(.fine, records: UInt8(clamping: told.count)) + told.joined()
    }

    private func begin(_ code: Code, records: UInt8) -> [UInt8] {
        let flags: UInt8 = 0x80 | (wantsRecursion ? 1 : 0)
        return [identifier.0, identifier.1, flags, 0x80 | code.rawValue, 0, 1, 0, records, 0, 0, 0, 0] + question
    }

    /// Returns the record of an address; nil for the other version.
    private func record(_ address: IPAddress) -> [UInt8]? {
        let bytes: [UInt8]
        switch (address, wanted) {
        case (.v4(let value), .version4): bytes = Self.bytes(of: value)
        case (.v6(let value), .version6): bytes = Self.bytes(of: value)
        default: return nil
        }
        // The name is a pointer to the question's name, right after the header.
        let name: [UInt8] = [0xC0, UInt8(Self.headerBytes)]
        let kind: [UInt8] = [0, wanted == .version4 ? 1 : 28, 0, Self.internet]
        return name + kind + Self.bytes(of: Self.lifetimeSeconds) + [0, UInt8(bytes.count)] + bytes
    }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Returns the header of an answer that does not repeat the question.
    private static func header(of message: [UInt8], _ code: Code) -> [UInt8] {
        [message[0], message[1], 0x80 | message[2] & 0x79, 0x80 | code.rawValue, 0, 0, 0, 0, 0, 0, 0, 0]
    }

    private static let headerBytes = 12
    private static let longestName = 255
    private static let longestLabel = 63
    private static let internet: UInt8 = 1
    private static let datagramBytes = 512
    /// The same as the cache lifetime of the gate's resolver.
    private static let lifetimeSeconds: UInt32 = 5
}
