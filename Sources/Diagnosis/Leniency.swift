public import ATSPolicy
import Text

/// Comparisons of rulings on the same load, to prove that another dictionary permits nothing more.
extension Ruling {
    /// True if the load is permitted although `other` blocks it, or has weaker requirements for its handshake.
    public func isLooser(than other: Ruling) -> Bool {
        switch (self, other) {
        case (.denial, _): return false
        case (.permit, .denial): return true
        case (.permit(let own), .permit(let other)):
            guard let demands = other.demands else { return false }
            return own.demands.map { $0.isWeaker(than: demands) } ?? true
        }
    }
}

extension TLSDemands {
    fileprivate func isWeaker(than other: TLSDemands) -> Bool {
        let claims: [(TLSDemands) -> Bool] = [
            \.forwardSecrecy, \.strictTrust, \.certificateFloor, \.requiresCertificateTransparency,
            { !$0.waivesKeySize }, { !$0.checksLeafOnly }, { !$0.acceptsAnyCertificate },
        ]
        return minimumTLS < other.minimumTLS || claims.contains { $0(other) && !$0(self) }
            || !Set(suites).isSubset(of: other.suites) || (other.pins != nil && pins != other.pins)
    }
}

extension Declaration {
    /// Hosts whose loads show the effect of an entry: its own, one below it, and both ends of a range.
    public static func sampleHosts(ofEntry key: String) -> [String] {
        guard let block = AddressBlock(exceptionKey: key) else {
            return IPAddress(key) == nil ? [key, "host.\(key)"] : [key]
        }
        return [block.network.description, block.last.description]
    }
}

extension Judge {
    /// True if a load of a host is permitted here although `other` blocks it, or has weaker requirements here.
    public func isLooser(than other: Judge, for hosts: [String]) -> Bool {
        for host in hosts {
            for scheme in [LoadTarget.Scheme.http, .https] {
                let target = LoadTarget(scheme: scheme, host: host, port: scheme.defaultPort)
                for loader in Loader.allCases
                where rule(on: target, loader: loader).isLooser(than: other.rule(on: target, loader: loader)) {
                    return true
                }
            }
        }
        return false
    }
}
