/// A setting that `sysctl` changes. Source: sysctl(8) of procps.
public struct KernelSetting: Sendable, Hashable, Codable {
    struct Value: Sendable, Hashable, Codable {
        var name: String
        var value: String
    }

    /// With slashes, because the name of an interface may contain a dot.
    var name: String
    var before: String
    var now: String
    /// Settings that the kernel changes along with it, with their previous values. Source: Linux,
    /// Documentation/networking/ip-sysctl.rst, ip_forward: "resets all configuration parameters to their default
    /// state".
    var alongside: [Value] = []

    /// The setting itself first, because it changes the others along with it.
    var restoring: [String] {
        ["sysctl", "-q", "-w", "\(name)=\(before)"] + alongside.map { "\($0.name)=\($0.value)" }
    }

    static let forwarding4 = "net/ipv4/ip_forward"
    static let forwarding6 = "net/ipv6/conf/all/forwarding"
    static let redirects4 = "net/ipv4/conf/all/accept_redirects"

    /// Controls whether an interface accepts router advertisements: 1 does not if packets are forwarded, 2 does
    /// (ip-sysctl.rst, accept_ra).
    static func advertisements(of interface: String) -> String { "net/ipv6/conf/\(interface)/accept_ra" }
}

/// Settings of the kernel of this machine.
struct KernelSettings {
    let setup: Setup

    /// nil if the kernel has no such setting.
    func value(of name: String) -> String? {
        let outcome = setup.runner.run(["sysctl", "-n", name])
        guard outcome.status == 0 else { return nil }
        return outcome.output.split(separator: "\n").first.map(String.init)
    }

    /// The steps that turn on forwarding of IPv4 and IPv6. A setting that was on before any setup needs no step.
    ///
    /// - Parameter kind: the setup that needs it.
    func forwardingSteps(for kind: Setup.Kind) throws(SetupFailure) -> [SetupStep] {
        _ = try setup.ask(["sysctl", "-n", KernelSetting.forwarding4])
        let standing = try setup.journal.entries().filter(\.isWhole).flatMap(\.steps).compactMap(\.setting)
        var settings: [KernelSetting] = []
        func add(_ name: String, _ now: String, alongside: [String] = []) {
            guard let current = value(of: name) else { return }
            // Two setups may need the same setting: the last one to be undone must know the original value.
            if let known = standing.first(where: { $0.name == name }) { return settings.append(known) }
            guard current != now else { return }
            let others = alongside.compactMap { name in
                value(of: name).map { KernelSetting.Value(name: name, value: $0) }
            }
            settings.append(KernelSetting(name: name, before: current, now: now, alongside: others))
        }
        add(KernelSetting.forwarding4, "1", alongside: [KernelSetting.redirects4])
        // Otherwise a machine with a default route from a router would lose that route.
        for interface in advertisedRoutes {
            let name = KernelSetting.advertisements(of: interface)
            let isKnown = standing.contains { $0.name == name }
            if isKnown || value(of: name) == "1" { add(name, "2") }
        }
        add(KernelSetting.forwarding6, "1")
        return settings.map { .kernel($0, of: kind) }
    }

    /// Interfaces with an advertised default route, such as `default via fe80::1 dev eth0 proto ra metric 100`.
    private var advertisedRoutes: [String] {
        let lines = setup.runner.run(["ip", "-6", "route", "show", "default"]).output.split(separator: "\n")
        return lines.compactMap { line in
            let words = line.split(separator: " ")
            guard line.contains(" proto ra"), let place = words.firstIndex(of: "dev"), place + 1 < words.count else {
                return nil
            }
            return String(words[place + 1])
        }
    }
}

extension Setup {
    var kernelSettings: KernelSettings { KernelSettings(setup: self) }
}
