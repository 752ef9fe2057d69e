import Capture
import Files
import Foundation
import NetLoop
import ProxyServer
import Records
import Text

/// A command's own network in which every connection goes to the gate, with a DNS server.
struct Captured {
    private let space: CaptureSpace
    private let ports: [UInt16]
    /// The names that the command resolves.
    let names: GateNames

    /// Makes the gate accept clients from the network, before those of its other listeners.
    ///
    /// - Parameters:
    ///   - ports: ports to listen on in addition to the usual ones, if the system has no nftables.
    ///   - isListening: true if `--listen` was given, so that there are other listeners.
    /// - Throws: ``CommandFailure`` with 69 if the system lacks such networks or forbids them.
    init(ports: [UInt16], leadingTo settings: inout GateSettings, isListening: Bool) throws {
        let wanted = Self.usualPorts + ports.filter { !Self.usualPorts.contains($0) }
        guard wanted.count <= CaptureSpace.mostPorts else {
            let most = CaptureSpace.mostPorts - Self.usualPorts.count
            throw CommandFailure.usage("--capture-ports takes at most \(most) ports")
        }
        do throws(CaptureFailure) {
            space = try CaptureSpace(ports: wanted)
        } catch {
            throw CommandFailure.unavailable("\(error)")
        }
        self.ports = wanted
        var inside = ListenAddress(host: space.proxy.host, port: space.proxy.port)
        inside.isApart = true
        let entrances = space.entrances.map { place in
            var address = ListenAddress(host: place.host, port: place.port, entrance: .capture)
            address.isApart = true
            return address
        }
        settings.listeners = [inside] + entrances + (isListening ? settings.listeners : [])
        settings.handed = space.sockets
        names = GateNames(settings.connectTo)
        settings.connectTo += names.detours
    }

    /// Remarks to print before the command starts; empty for none.
    var remarks: [String] {
        guard !space.catchesEveryPort else { return [] }
        let list = ports.map(String.init).joined(separator: ", ")
        return [
            "capture: this system has no nftables, so only connections to ports \(list) go through the gate; others "
                + "are refused; --capture-ports adds more"
        ]
    }

    /// Answers DNS queries while `body` runs. Reports refused traffic when it first occurs, and the counts at the end.
    func whileAnswering<Value>(isQuiet: Bool, _ body: () throws -> Value) throws -> Value {
        let server: NameServer
        do throws(CaptureFailure) { server = try NameServer(for: space, asking: names) } catch {
            throw CommandFailure.unavailable("\(error)")
        }
        defer { server.stop() }
        let refused = RefusedTraffic(of: space, but: ports) { if !isQuiet { StandardError.writeLine($0.remark) } }
        defer {
            let often = refused.stop().filter { $0.count > 1 }.map { "\($0.way.words) \($0.count) times" }
            if !isQuiet, !often.isEmpty {
                StandardError.writeLine("capture: refused: \(often.joined(separator: ", "))")
            }
        }
        return try body()
    }

    /// Starts the command in the network.
    ///
    /// - Throws: ``ChildProcess/SpawnFailure``, ``CommandFailure``.
    func start(_ command: [String], environment: [String: String]) throws -> ChildProcess {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.path(of: "resolv.conf")
        let system = (try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)) ?? ""
        try Data(ResolverFile.text(from: system).utf8).write(to: URL(filePath: file))
        let started = CoreDumps.withInheritedLimit {
            Result { () throws(CaptureFailure) in
                try space.start(
                    command, environment: environment.map { "\($0.key)=\($0.value)" }, resolverFile: file,
                    ordinarySignals: ChildProcess.forwarded + [SIGPIPE])
            }
        }
        switch started {
        case .success(let processID): return ChildProcess(processID: processID)
        case .failure(.command(let code)):
            throw ChildProcess.SpawnFailure(name: command.first ?? "", errno: code)
        case .failure(let failure): throw CommandFailure.unavailable("\(failure)")
        }
    }

    /// The ports without `--capture-ports`. No server of the command uses them, because they are reserved for root.
    private static let usualPorts: [UInt16] = [80, 443]
}

extension RefusedTraffic.Destination {
    var words: String { "\(isDatagram ? "UDP" : "TCP") to port \(port)" }

    /// The remark for the first occurrence.
    fileprivate var remark: String {
        switch (isDatagram, port) {
        case (true, 443): "capture: \(words), QUIC, is refused immediately, so that HTTP/3 clients use TCP"
        case (true, _): "capture: \(words) is refused: datagrams do not go through the gate"
        case (false, _): "capture: \(words) is refused; with --capture-ports \(port) it goes through the gate"
        }
    }
}
