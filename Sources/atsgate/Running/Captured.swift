import Capture
import Files
import Foundation
import NetLoop
import ProxyServer
import Records
import Text

/// A command's own network, all of whose ways lead to the gate, with the answerer of its questions for names.
struct Captured {
    private let space: CaptureSpace
    private let ports: [UInt16]
    /// To the command, of names.
    let told: ToldNames

    /// Has the gate take clients from the network, before those of its other listeners.
    ///
    /// - Parameters:
    ///   - ports: what is listened on where the system has no nftables, beside the usual ones.
    ///   - isListening: `--listen` was given, so that there are others.
    /// - Throws: ``CommandFailure`` with 69 where the system has or allows no such thing.
    init(ports: [UInt16], leadingTo settings: inout GateSettings, isListening: Bool) throws {
        let wanted = Self.usualPorts + ports.filter { !Self.usualPorts.contains($0) }
        guard wanted.count <= CaptureSpace.mostPorts else {
            let most = CaptureSpace.mostPorts - Self.usualPorts.count
            throw CommandFailure.usage("--capture-ports takes \(most) ports at most")
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
            var address = ListenAddress(host: place.host, port: place.port, speaks: .transparent)
            address.entrance = .capture
            address.isApart = true
            return address
        }
        settings.listeners = [inside] + entrances + (isListening ? settings.listeners : [])
        settings.handed = space.sockets
        told = ToldNames(to: &settings)
    }

    /// What there is to say before the command starts; empty for nothing.
    var remarks: [String] {
        guard !space.catchesEveryPort else { return [] }
        let list = ports.map(String.init).joined(separator: ", ")
        return [
            "capture: this system has no nftables, so only connections to ports \(list) come through the gate and others "
                + "are refused; --capture-ports names more"
        ]
    }

    /// Answers questions for names while `body` runs, and tells what the network refuses: once, and how often at the end.
    func whileAnswering<Value>(isQuiet: Bool, _ body: () throws -> Value) throws -> Value {
        let server: NameServer
        do throws(CaptureFailure) { server = try NameServer(for: space, asking: told.chosen, book: told.given) } catch {
            throw CommandFailure.unavailable("\(error)")
        }
        defer { server.stop() }
        let refused = RefusedTraffic(of: space, but: ports) { if !isQuiet { StandardError.say($0.remark) } }
        defer {
            let often = refused.stop().filter { $0.count > 1 }.map { "\($0.way.words) \($0.count) times" }
            if !isQuiet, !often.isEmpty { StandardError.say("capture: refused: \(often.joined(separator: ", "))") }
        }
        return try body()
    }

    /// Starts the command in it.
    ///
    /// - Throws: ``ChildProcess/SpawnFailure``, ``CommandFailure``.
    func start(_ command: [String], environment: [String: String]) throws -> ChildProcess {
        let folder = try PassingFolder()
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

    /// What is listened on without being named: ports that no server of the command takes, since they are root's.
    private static let usualPorts: [UInt16] = [80, 443]
}

extension RefusedTraffic.Way {
    var words: String { "\(isDatagram ? "UDP" : "TCP") to port \(port)" }

    /// When it is seen for the first time.
    fileprivate var remark: String {
        switch (isDatagram, port) {
        case (true, 443): "capture: \(words), QUIC, is refused at once, so that clients of HTTP/3 take TCP"
        case (true, _): "capture: \(words) is refused: datagrams do not come through the gate"
        case (false, _): "capture: \(words) is refused; --capture-ports \(port) has it come through the gate"
        }
    }
}
