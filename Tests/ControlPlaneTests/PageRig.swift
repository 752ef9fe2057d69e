import ATSPolicy
import ControlPlane
import Dispatch
import Foundation
import Onboarding
import Records
import Reporting
import Synchronization

/// A page on a free port, over a simulated gate.
final class PageRig: Sendable {
    let server: WebServer
    let feed = LiveFeed()
    let monitor = GateMonitor(version: "0")
    let devices = DeviceMemory()
    let token = AccessToken()
    let recordings = Mutex<[String]>([])
    let declarations = Mutex<[Declaration]>([.secureDefaults])
    /// The gate's store in memory; nil if it is a file.
    private let store: StoreSink?

    init(
        _ limits: WebLimits = WebLimits(), more: [WebRoute] = [], storePath: String? = nil, allowsUpload: Bool = false,
        sharedStore: (@Sendable (Duration) throws -> StoreReader)? = nil,
        fleet: (@Sendable (_ hours: Int) throws -> FleetOverview)? = nil
    ) throws {
        store = try storePath == nil ? StoreSink() : nil
        server = try WebServer(WebAddress(port: 0), limits: limits)
        let rules = AccessRules(token: token, port: server.address.port, publicNames: ["atsgate.test"])
        var interface = interface(storePath: storePath, allowsUpload: allowsUpload)
        interface.sharedStore = sharedStore
        interface.fleet = fleet
        server.start(
            ControlPlane.site(rules: rules, feed: feed, interface: interface, limits: limits, more: more))
    }

    /// Records loads as a gate does: into the feed, and into the store unless it is a file.
    func record(_ loads: [LoadRecord]) throws {
        feed.write(loads)
        try store?.write(loads)
    }

    /// Stops the server, on a thread that its own tasks do not need, because stopping blocks.
    func stop() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [server] in
                server.stop()
                continuation.resume()
            }
        }
    }

    // Stopping blocks, and tests share their threads with the server.
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
        if let store { interface.reader = { store.reader } }
        if let storePath { interface.reader = { try StoreReader(path: storePath) } }
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

    /// Sends one request on a new connection, and returns the whole response.
    ///
    /// - Parameters:
    ///   - what: A path for GET, or a method and a path.
    ///   - fields: Fields in addition to Host and Connection.
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

    /// Sends a request as a script with the token.
    func script(_ what: String, body: String = "") async throws -> String {
        try await ask(what, ["Authorization: Bearer \(token.text)"], body: body)
    }

    var cookie: String { "Cookie: other=1; atsgate-\(port)=\(token.text)" }
    var origin: String { "Origin: http://127.0.0.1:\(port)" }
}

extension String {
    /// The status of a response.
    var status: Int { split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    /// The body of a response.
    var body: String { range(of: "\r\n\r\n").map { String(self[$0.upperBound...]) } ?? "" }
}
