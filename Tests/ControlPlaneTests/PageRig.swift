import ATSPolicy
import ControlPlane
import Dispatch
import Foundation
import Onboarding
import Records
import Reporting
import Synchronization

/// A page on a free port, over a gate that is only made up.
final class PageRig: Sendable {
    let server: WebServer
    let feed = LiveFeed()
    let monitor = GateMonitor(version: "0")
    let devices = DeviceMemory()
    let token = AccessToken()
    let recordings = Mutex<[String]>([])
    let declarations = Mutex<[Declaration]>([.secureDefaults])

    init(
        _ limits: WebLimits = WebLimits(), more: [WebRoute] = [], storePath: String? = nil, allowsUpload: Bool = false,
        sharedStore: (@Sendable (Duration) throws -> StoreReader)? = nil,
        fleet: (@Sendable (_ hours: Int) throws -> FleetOverview)? = nil
    ) throws {
        server = try WebServer(WebAddress(port: 0), limits: limits)
        let rules = AccessRules(token: token, port: server.address.port, publicNames: ["atsgate.test"])
        var interface = interface(storePath: storePath, allowsUpload: allowsUpload)
        interface.sharedStore = sharedStore
        interface.fleet = fleet
        server.start(
            ControlPlane.site(rules: rules, feed: feed, interface: interface, limits: limits, more: more))
    }

    /// Ends the server. It waits, so not on a thread that the server's own tasks need.
    func stop() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [server] in
                server.stop()
                continuation.resume()
            }
        }
    }

    // It waits, and tests share their threads with the server.
    deinit { DispatchQueue.global().async { [server] in server.stop() } }

    private func interface(storePath: String?, allowsUpload: Bool) -> GateInterface {
        var interface = GateInterface(
            version: "0",
            state: { [weak self] in
                GateInterface.State(
                    declaration: self?.declarations.withLock { $0.last } ?? .secureDefaults, profile: nil,
                    usualProfile: .newest, mode: "enforce",
                    recording: self?.recordings.withLock { $0.last } ?? "first")
            },
            startRecording: { [weak self] name in self?.recordings.withLock { $0.append(name) } })
        interface.storePath = storePath
        interface.monitor = monitor
        interface.devices = { [devices] in devices.devices }
        interface.phones = { ["http://192.0.2.1:9802/"] }
        interface.tunnels = {
            [
                GateInterface.Tunnel(peer: "phone1", configuration: "[Interface]\nPrivateKey = secret\n"),
                GateInterface.Tunnel(peer: "phone2", configuration: nil),
            ]
        }
        interface.clientNotes = { ["a note"] }
        if allowsUpload {
            interface.enforce = { [weak self] given in self?.declarations.withLock { $0.append(given) } }
        }
        return interface
    }

    var port: Int { server.address.port }

    /// Sends one request on a connection of its own, and gives back all that is answered.
    ///
    /// - Parameters:
    ///   - what: a path to get, or a method and a path.
    ///   - fields: besides Host and Connection.
    func ask(_ what: String, host: String? = nil, _ fields: [String] = [], body: String = "") async throws -> String {
        let client = try PageClient(port: port)
        let isGet = what.hasPrefix("/")
        var lines =
            ["\(isGet ? "GET " : "")\(what) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"]
            + fields
        if !isGet { lines.append("Content-Length: \(body.utf8.count)") }
        await client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n" + body)
        return await client.receiveAll()
    }

    /// The same by a script that has the token.
    func script(_ what: String, body: String = "") async throws -> String {
        try await ask(what, ["Authorization: Bearer \(token.text)"], body: body)
    }

    var cookie: String { "Cookie: other=1; atsgate-\(port)=\(token.text)" }
    var origin: String { "Origin: http://127.0.0.1:\(port)" }
}

extension String {
    /// Of an answer.
    var status: Int { split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    /// Of an answer.
    var body: String { range(of: "\r\n\r\n").map { String(self[$0.upperBound...]) } ?? "" }
}
