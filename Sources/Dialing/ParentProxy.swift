public import ATSPolicy
public import Bytes
import Foundation
import HTTPWire
import Text

/// The proxy that the gate connects through. Its descriptions never contain the credentials.
public struct ParentProxy: Sendable, Hashable {
    public let host: String
    public let port: Int
    /// The value of Proxy-Authorization; nil without credentials.
    public let authorization: String?

    /// - Parameters:
    ///   - user: nil for a proxy without credentials. Must not contain a colon, which ends it (RFC 7617 section 2).
    public init(host: String, port: Int, user: String? = nil, password: String = "") {
        self.host = host.lowercased()
        self.port = port
        authorization = user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() }
    }

    /// `HOST:PORT`, an IPv6 address in brackets, as in records.
    public var name: String { Authority(host: host, port: port).description }
}

extension ParentProxy: CustomStringConvertible, CustomDebugStringConvertible {
    /// Its URL, with the credentials masked.
    public var description: String { "http://\(authorization == nil ? "" : "***@")\(name)" }
    public var debugDescription: String { description }
}

/// Hosts that bypass the parent proxy, listed as in curl's `NO_PROXY`.
///
/// A name matches itself and its subdomains, with or without a leading dot. An address matches itself, a range such as
/// 10.0.0.0/8 all its addresses, and `*` everything. `:PORT` after a host limits it to that port. Source: curl(1),
/// NO_PROXY.
public struct ParentBypass: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        var name = ""
        var block: AddressBlock?
        var port: Int?
        var isEverything = false
    }

    private let entries: [Entry]

    /// - Parameter lists: hosts, separated by commas or blanks.
    public init(_ lists: [String] = []) {
        entries = lists.flatMap { $0.split { ", \t".contains($0) } }.compactMap { Self.entry($0.lowercased()) }
    }

    /// True if a load to this host and port bypasses the parent.
    ///
    /// - Parameter host: in lower case, an IPv6 address without brackets.
    public func contains(_ host: String, _ port: Int) -> Bool {
        if entries.isEmpty { return false }
        let name = HostGrammar.withoutTrailingDot(host[...])
        let address = IPAddress(host: host)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            if entry.isEverything { return true }
            guard let address else {
                return entry.block == nil && HostGrammar.isHost(name, atOrBelow: entry.name)
            }
            return entry.block?.contains(address) ?? false
        }
    }

    private static func entry(_ text: String) -> Entry? {
        var entry = Entry()
        var host = text[...]
        entry.block = block(host)
        if entry.block != nil { return entry }
        if let colon = text.lastIndex(of: ":"), let port = PortNumber.read(text[colon...].dropFirst()) {
            entry.port = port
            host = text[..<colon]
        }
        entry.block = block(host)
        if entry.block != nil { return entry }
        entry.isEverything = host == "*"
        if host.hasPrefix("*.") { host = host.dropFirst() }
        entry.name = String(HostGrammar.withoutTrailingDot(host.hasPrefix(".") ? host.dropFirst() : host))
        return entry.name.isEmpty ? nil : entry
    }

    /// An address or a range; IPv6 with or without brackets.
    private static func block(_ text: Substring) -> AddressBlock? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        return AddressBlock(String(isBracketed ? text.dropFirst().dropLast() : text))
    }
}

/// The CONNECT conversation with a parent proxy, without a socket. Source: RFC 9110 section 9.3.6.
public final class ParentTunnel {
    /// The state of the conversation.
    public enum Outcome: Sendable, Hashable {
        case waiting
        /// The tunnel is open. `early` has the bytes that the origin has already sent.
        case open(early: [UInt8])
        case failed(ParentTrouble)
    }

    private var reader = MessageReader.responses(limits: WireLimits())
    private let inbox = ByteQueue()
    /// Source: RFC 9110 section 7.6.3.
    private static let ownName: StaticString = "atsgate"

    public init() {
        reader.expectResponse(to: .connect)
    }

    /// Requests the tunnel.
    ///
    /// - Parameter authorization: the value of Proxy-Authorization.
    public func ask(host: String, port: Int, authorization: String?, to queue: ByteQueue) {
        MessageWriter.request(
            RequestHead(method: .connect, target: .authority(host: host, port: port)), asOriginForm: false,
            via: Self.ownName, to: queue, proxyAuthorization: authorization)
    }

    /// Reads more of the parent's answer. Must not be called again after it returned anything but `waiting`.
    public func receive(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        inbox.append(bytes)
        do throws(WireError) {
            while true {
                let step = try reader.next(in: inbox.bytes)
                inbox.consume(step.consumed)
                guard let event = step.event else { return .waiting }
                guard case .responseHead(let head) = event, !head.isInterim else { continue }
                guard 200..<300 ~= head.status else { return .failed(.answered(status: head.status)) }
                return .open(early: Array(inbox.bytes))
            }
        } catch {
            return .failed(.gaveNoAnswer)
        }
    }
}
