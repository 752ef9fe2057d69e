import ATSPolicy
import Foundation
import HTTP2Engine
import HTTPWire
import TLSEngine

/// A host and a port.
struct Endpoint: Sendable {
    let host: String
    let port: Int
}

/// The parts of a URL.
struct Target: Sendable {
    let isSecure: Bool
    let host: String
    let port: Int
    /// Path and query.
    let path: String

    var authority: String { "\(host):\(port)" }

    /// The same URL on a subdomain.
    func below(_ name: String) -> Target {
        Target(isSecure: isSecure, host: "\(name).\(host)", port: port, path: path)
    }
}

extension Target {
    /// nil unless `url` is an http or https URL with a host.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme, ["http", "https"].contains(scheme)
        else { return nil }
        let isSecure = scheme == "https"
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        self.init(
            isSecure: isSecure, host: host, port: parts.port ?? (isSecure ? 443 : 80),
            path: path + (parts.percentEncodedQuery.map { "?" + $0 } ?? ""))
    }
}

/// The request and the expected answer.
struct Talk: Sendable {
    /// nil accepts a body of any size.
    var expectedBytes: Int64?
    /// The body for PUT; nil sends GET.
    var uploadBytes: Int64?
    var isHTTP2 = false
    /// The time without reading after the head of the answer.
    var stall: Duration?
}

/// The work of a connection: its destination and route, its request and the expected answer.
struct RequestScript: Sendable {
    enum Route: Sendable {
        case direct(Endpoint)
        case proxy(Endpoint)
    }

    let place: Endpoint
    /// The head of a CONNECT; nil without a tunnel.
    let opening: [UInt8]?
    /// nil for cleartext.
    let tls: OriginTLSContext?
    let serverName: String
    /// The head for HTTP/1.1.
    let request: [UInt8]
    /// The head for HTTP/2; nil for HTTP/1.1.
    let streamRequest: HTTP2Request?
    let talk: Talk

    /// - Parameter tls: nil performs no handshake, not even for https.
    init(to target: Target, by route: Route, tls: OriginTLSContext?, _ talk: Talk) {
        let isThroughProxy: Bool
        switch route {
        case .direct(let place): (self.place, isThroughProxy) = (place, false)
        case .proxy(let place): (self.place, isThroughProxy) = (place, true)
        }
        let hasTunnel = isThroughProxy && target.isSecure
        let authority = target.authority
        opening = hasTunnel ? Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8) : nil
        self.tls = target.isSecure ? tls : nil
        serverName = target.host
        let form = isThroughProxy && !target.isSecure ? "http://\(authority)\(target.path)" : target.path
        let start = talk.uploadBytes == nil ? "GET" : "PUT"
        let length = talk.uploadBytes.map { "Content-Length: \($0)\r\n" } ?? ""
        let usual = Self.usualFields.map { "\($0): \($1)\r\n" }.joined()
        request = Array("\(start) \(form) HTTP/1.1\r\nHost: \(authority)\r\n\(usual)\(length)\r\n".utf8)
        streamRequest = talk.isHTTP2 ? Self.streamRequest(to: target) : nil
        self.talk = talk
    }

    /// The bytes after the head; zero for a download.
    var uploadBytes: Int64 { talk.uploadBytes ?? 0 }

    private static func streamRequest(to target: Target) -> HTTP2Request {
        var fields = FieldBlock()
        _ = fields.append(.host, target.authority)
        for (name, value) in usualFields { _ = fields.append(name, value) }
        let head = RequestHead(method: .get, target: .path(target.path), fields: fields)
        return HTTP2Request(head: head, scheme: "https", endsStream: true)
    }

    /// Fields that an app sends, so that heads have a typical size.
    private static let usualFields = [("User-Agent", "loader/1"), ("Accept", "*/*"), ("Accept-Language", "en")]
}

extension TLSOffer {
    /// The offer of a current device.
    static let modern = TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.newest.atsSuites)
}
