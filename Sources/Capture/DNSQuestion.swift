package import Text

/// One question for a name, as a resolver of the command asks it. Source: RFC 1035 sections 4.1 and 4.2.
package struct DNSQuestion: Hashable, Sendable {
    /// What is asked for.
    package enum Wanted: Hashable, Sendable {
        case version4, version6
        /// A kind of record that the gate has none of.
        case other
    }

    /// In lower case, without a dot at the end.
    package let host: String
    package let wanted: Wanted
    private let identifier: (UInt8, UInt8)
    private let wantsRecursion: Bool
    /// The question as it was put, for the answer to repeat.
    private let question: [UInt8]

    /// What a message of somebody is: a question, one that is answered without looking anything up, or nothing to answer.
    package enum Reading: Hashable, Sendable {
        case question(DNSQuestion)
        case answered([UInt8])
        case nothing
    }

    /// Reads a message, whatever it is.
    ///
    /// - Parameter message: without the length that stands before it on a connection.
    package static func read(_ message: [UInt8]) -> Reading {
        // Who does not even have a header can be told nothing; an answer is no question.
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

    /// Where the name ends, behind its last length; nil where it does not within the bounds of RFC 1035 section 2.3.4.
    /// A question has nothing before it that a pointer could lead to.
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

    /// Bytes that are none of a host name, dots within a label among them, become `?`, which no name has.
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

    /// It is the name of a host that can be looked up.
    package var isAskable: Bool { !host.isEmpty && !host.contains("?") }

    package static func == (one: DNSQuestion, other: DNSQuestion) -> Bool {
        one.identifier == other.identifier && one.question == other.question
            && one.wantsRecursion == other.wantsRecursion
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(question) }

    // MARK: Answers

    /// How an answer begins. Raw values: RFC 1035 section 4.1.1, RCODE.
    package enum Code: UInt8, Sendable {
        case fine = 0, formatError = 1, serverFailure = 2, noSuchName = 3, notImplemented = 4, refused = 5
    }

    /// An answer without records.
    package func answer(_ code: Code) -> [UInt8] { begin(code, records: 0) }

    /// The addresses of the version that was asked for, as many as a datagram without extensions holds (RFC 1035 section
    /// 4.2.1: 512 bytes); none says that the name has none.
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

    /// nil for the other version.
    private func record(_ address: IPAddress) -> [UInt8]? {
        let bytes: [UInt8]
        switch (address, wanted) {
        case (.v4(let value), .version4): bytes = Self.bytes(of: value)
        case (.v6(let value), .version6): bytes = Self.bytes(of: value)
        default: return nil
        }
        // The name is the question's, which stands behind the header.
        let name: [UInt8] = [0xC0, UInt8(Self.headerBytes)]
        let kind: [UInt8] = [0, wanted == .version4 ? 1 : 28, 0, Self.internet]
        return name + kind + Self.bytes(of: Self.lifetimeSeconds) + [0, UInt8(bytes.count)] + bytes
    }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The header of an answer to who can not even be repeated.
    private static func header(of message: [UInt8], _ code: Code) -> [UInt8] {
        [message[0], message[1], 0x80 | message[2] & 0x79, 0x80 | code.rawValue, 0, 0, 0, 0, 0, 0, 0, 0]
    }

    private static let headerBytes = 12
    private static let longestName = 255
    private static let longestLabel = 63
    private static let internet: UInt8 = 1
    private static let datagramBytes = 512
    /// The gate's own resolver remembers for as long.
    private static let lifetimeSeconds: UInt32 = 5
}
