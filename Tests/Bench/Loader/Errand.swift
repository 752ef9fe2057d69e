import ATSPolicy
import Foundation
import TLSEngine

/// A host and a port.
struct Place: Sendable {
    let host: String
    let port: Int
}

/// What a URL says.
struct Target: Sendable {
    let isSecure: Bool
    let host: String
    let port: Int
    /// Path and query.
    let path: String

    /// nil unless `url` is an http or https URL with a host.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme, ["http", "https"].contains(scheme)
        else { return nil }
        isSecure = scheme == "https"
        self.host = host
        port = parts.port ?? (isSecure ? 443 : 80)
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        self.path = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    var authority: String { "\(host):\(port)" }
}

/// What each connection does: where it goes, how it gets there, what it says and what it wants to hear.
struct Errand: Sendable {
    enum Route: Sendable {
        case direct(Place)
        case proxy(Place)
    }

    let place: Place
    /// Head of a CONNECT; nil without a tunnel.
    let opening: [UInt8]?
    /// nil for cleartext.
    let tls: OriginTLSContext?
    let serverName: String
    let request: [UInt8]
    /// Follows the request; zero for a download.
    let uploadBytes: Int64
    /// nil takes a body of any size.
    let expectedBytes: Int64?
    /// How long nothing is read after the head of the answer.
    var stall: Duration?

    /// - Throws: what the TLS library said about its settings.
    init(
        to target: Target, by route: Route, expectedBytes: Int64?, uploadBytes: Int64?, shakesHands: Bool
    ) throws {
        let isThroughProxy: Bool
        switch route {
        case .direct(let place): (self.place, isThroughProxy) = (place, false)
        case .proxy(let place): (self.place, isThroughProxy) = (place, true)
        }
        let hasTunnel = isThroughProxy && target.isSecure
        let authority = target.authority
        opening = hasTunnel ? Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8) : nil
        tls = target.isSecure && shakesHands ? try OriginTLSContext(offer: .modern) : nil
        serverName = target.host
        let form = isThroughProxy && !target.isSecure ? "http://\(authority)\(target.path)" : target.path
        let start = uploadBytes == nil ? "GET" : "PUT"
        let length = uploadBytes.map { "Content-Length: \($0)\r\n" } ?? ""
        // What an app sends along, so that heads have a usual size.
        let fields = "Host: \(authority)\r\nUser-Agent: loader/1\r\nAccept: */*\r\nAccept-Language: en\r\n\(length)\r\n"
        request = Array("\(start) \(form) HTTP/1.1\r\n\(fields)".utf8)
        self.uploadBytes = uploadBytes ?? 0
        self.expectedBytes = expectedBytes
    }
}

extension TLSOffer {
    /// What a device of today offers.
    fileprivate static let modern = TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.newest.atsSuites)
}
