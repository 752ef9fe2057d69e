public import ATSPolicy
import Text

/// The rulings of one release under one dictionary, for every kind of load of hosts.
public struct RulingTable: Equatable, Sendable {
    /// A load.
    public struct Load: Hashable, Sendable {
        public let target: LoadTarget
        public let loader: Loader
    }

    /// The parts of a ruling that affect a load.
    public struct Terms: Hashable, Sendable {
        public let isPermitted: Bool
        let demands: TLSDemands?
        let offer: TLSOffer?
    }

    public let terms: [Load: Terms]

    public init(_ declaration: Declaration, on system: OSProfile, hosts: Set<String>) {
        let judge = Judge(declaration: declaration, profile: system)
        var terms: [Load: Terms] = [:]
        for host in hosts {
            for scheme in [LoadTarget.Scheme.http, .https] {
                let target = LoadTarget(scheme: scheme, host: host, port: scheme.defaultPort)
                for loader in Loader.allCases {
                    terms[Load(target: target, loader: loader)] = Terms(judge.rule(on: target, loader: loader))
                }
            }
        }
        self.terms = terms
    }

    /// The loads with another ruling, as text.
    public func differences(to other: RulingTable) -> [String] {
        terms.filter { other.terms[$0.key] != $0.value }.map { "\($0.key.loader) \($0.key.target.origin)" }.sorted()
    }

    /// Hosts that entries of dictionaries apply to, hosts near them, and others.
    public static func hosts(of declarations: Declaration...) -> Set<String> {
        var hosts: Set = [
            "other.example.org", "localhost", "x.localhost", "printer.local", "corp", "192.168.1.1", "10.1.2.3",
            "11.1.2.3", "127.0.0.1", "8.8.8.8", "203.0.113.7", "100.64.1.1", "::1", "2001:db8::7",
        ]
        for entry in declarations.flatMap(\.entries) {
            let name = String(entry.key.prefix { $0 != "/" }).lowercased()
            hosts.insert(name)
            guard IPAddress(name) == nil else { continue }
            hosts.insert("x." + name)
            hosts.insert("y.x." + name)
            if let dot = name.firstIndex(of: ".") { hosts.insert(String(name[name.index(after: dot)...])) }
        }
        return hosts.filter { !$0.isEmpty }
    }
}

extension RulingTable.Terms {
    fileprivate init(_ ruling: Ruling) {
        switch ruling {
        case .denial:
            self.init(isPermitted: false, demands: nil, offer: nil)
        case .permit(let permit):
            var demands = permit.demands
            // Explains a ruling and does not change it.
            demands?.overruledMinimum = nil
            self.init(isPermitted: true, demands: demands, offer: permit.offer)
        }
    }
}
