import ATSPolicy
import Foundation
import Testing

/// A ClientHello of `Tests/Hellos/hellos.jsonl`: values from public captures, each line with its source.
struct HelloRecording: Decodable, Sendable, CustomTestStringConvertible {
    var client: String
    var release: String
    var source: String
    var suites: [String]
    var extensions: [String]
    var groups: [String]
    var shares: [String]
    var signatures: [String]
    var versions: [String]
    var legacy: String
    var alpn: [String]
    var grease: Bool
    var ja4: String
    var reads: String
    /// True if the source has no list of extensions.
    var partial: Bool?

    var testDescription: String { "\(client), \(release), \(source)" }

    static let all: [HelloRecording] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = (try? String(contentsOf: tests.appending(path: "Hellos/hellos.jsonl"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }()

    /// The hello as one handshake message, with GREASE where the client sent it.
    var message: [UInt8] {
        let first = grease ? ["0a0a"] : []
        var list: [UInt8] = []
        for type in first + extensions { list += Self.two(type) + Self.sized(body(of: type, first: first), by: 2) }
        let suites = Self.sized((first + self.suites).flatMap(Self.two), by: 2)
        let head = Self.two(legacy) + [UInt8](repeating: 7, count: 32) + Self.sized([1, 2, 3], by: 1)
        let rest = extensions.isEmpty ? [] : Self.sized(list, by: 2)
        return [1] + Self.sized(head + suites + [1, 0] + rest, by: 3)
    }

    private func body(of type: String, first: [String]) -> [UInt8] {
        switch type {
        case "000a": return Self.sized((first + groups).flatMap(Self.two), by: 2)
        case "000d": return Self.sized(signatures.flatMap(Self.two), by: 2)
        case "0010": return Self.sized(alpn.flatMap { Self.sized(Array($0.utf8), by: 1) }, by: 2)
        case "001b": return Self.sized([0, 1], by: 1)
        case "002b": return Self.sized((first + versions).flatMap(Self.two), by: 1)
        case "0033": return Self.sized((first + shares).flatMap { Self.two($0) + Self.sized([9, 9], by: 2) }, by: 2)
        default: return []
        }
    }

    /// The values without a round trip over bytes, for a source without extensions.
    var content: HelloContent {
        var content = HelloContent(legacyVersion: UInt16(legacy, radix: 16) ?? 0)
        func add(_ texts: [String], to list: HelloContent.List) {
            for text in texts { content.add(UInt16(text, radix: 16) ?? 0, to: list) }
        }
        add(suites, to: .suites)
        add(extensions, to: .extensions)
        add(groups, to: .groups)
        add(shares, to: .shares)
        add(signatures, to: .signatures)
        add(versions, to: .versions)
        if ja4.dropFirst(8).prefix(2) != "00" { content.protocolMark = 0x6832 }
        return content
    }

    static func two(_ text: String) -> [UInt8] {
        let number = UInt16(text, radix: 16) ?? 0
        return [UInt8(number >> 8), UInt8(number & 0xFF)]
    }

    static func sized(_ bytes: [UInt8], by width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) } + bytes
    }

    /// The bytes in records with at most `piece` bytes each.
    static func records(_ message: [UInt8], piece: Int = 16_384) -> [UInt8] {
        stride(from: 0, to: message.count, by: piece).flatMap { start in
            [22, 3, 1] + sized(Array(message[start..<min(start + piece, message.count)]), by: 2)
        }
    }
}
