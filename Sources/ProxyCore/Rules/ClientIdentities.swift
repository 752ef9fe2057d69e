public import ATSPolicy
public import TLSEngine
import Text

/// The client certificates to show to origins that request one.
public struct ClientIdentities: Sendable {
    /// The certificate for one host, or for all its subdomains.
    public struct Entry: Sendable {
        let hosts: HostPatterns
        let isExact: Bool
        let port: Int?
        public let identity: ClientIdentity

        /// - Parameters:
        ///   - host: exact, or `*.example.com` for all subdomains.
        ///   - port: nil for any.
        public init(host: String, port: Int?, identity: ClientIdentity) {
            hosts = HostPatterns([host])
            isExact = !host.hasPrefix("*.")
            self.port = port
            self.identity = identity
        }
    }

    public let entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The identity for a target. An exact host has priority over a pattern, and a later entry over an earlier one.
    public func identity(for target: LoadTarget) -> ClientIdentity? {
        if entries.isEmpty { return nil }
        let fitting = entries.filter { $0.hosts.contains(target.host) && ($0.port ?? target.port) == target.port }
        return (fitting.last { $0.isExact } ?? fitting.last)?.identity
    }
}
