import CCapture
public import NetLoop
import Synchronization

/// A separate network for a command, whose connections all arrive at sockets of this process. The command starts in it;
/// this process stays outside and connects from there.
///
/// It has loopback, which belongs to the command, and routes that make every address local. Source:
/// network_namespaces(7), user_namespaces(7); ip-route(8), "local". It exists as long as this object or a process in
/// it.
public final class CaptureSpace: Sendable {
    /// An address in this network.
    public struct Endpoint: Hashable, Sendable {
        public let host: String
        public let port: Int
    }

    private let space: ccapture_space
    /// The listening sockets, to open listeners at their addresses.
    public let sockets: InheritedSockets
    /// The address for an HTTP proxy, for programs that use the proxy variables.
    public let proxy: Endpoint
    /// The addresses where connections to all other addresses arrive.
    public let entrances: [Endpoint]
    let nameListeners: [Endpoint]
    private let areNamesTaken = Mutex(false)
    private let areRefusalsTaken = Mutex(false)

    /// True if connections to every port arrive, not only those to the given ports.
    public var catchesEveryPort: Bool { space.catches_all != 0 }

    /// - Parameters:
    ///   - ports: used if the system has no nftables, at most ``mostPorts``.
    ///   - usesRule: false does without nftables, for tests.
    public init(ports: [UInt16], usesRule: Bool = true) throws(CaptureFailure) {
        var space = ccapture_space()
        var step: Int32 = 0
        let code = ccapture_open(ports, Int32(ports.count), usesRule ? 1 : 0, &space, &step)
        guard code == 0 else { throw CaptureFailure(step: step, errno: -code) }
        self.space = space
        let names = Self.descriptors(space.name_listeners, space.name_count)
        let entrances = Self.descriptors(space.listeners, space.listener_count)
        do throws(InheritedSocketError) {
            sockets = try InheritedSockets(adopting: [space.proxy] + names + entrances)
        } catch {
            throw .failed(step: "listening: \(error)", errno: 0)
        }
        let places = sockets.endpoints.map { Endpoint(host: $0.host, port: $0.port) }
        proxy = places[0]
        nameListeners = Array(places[1..<(1 + names.count)])
        self.entrances = Array(places[(1 + names.count)...])
    }

    deinit {
        close(space.network)
        if space.user >= 0 { close(space.user) }
        for socket in takeNameSockets() + takeRefusalSockets() { close(socket) }
    }

    /// Returns the sockets for DNS datagrams, which the caller then owns; none on a second call.
    func takeNameSockets() -> [Int32] {
        areNamesTaken.withLock { areTaken in
            defer { areTaken = true }
            return areTaken ? [] : Self.descriptors(space.names, space.name_count)
        }
    }

    /// Returns the sockets that report refused packets, which the caller then owns; none on a second call.
    func takeRefusalSockets() -> [Int32] {
        areRefusalsTaken.withLock { areTaken in
            defer { areTaken = true }
            return areTaken ? [] : Self.descriptors(space.refusals, space.refusal_count)
        }
    }

    /// Starts a command in the network, in this process's group and on its terminal. The command gets SIGTERM if the
    /// calling thread ends before it.
    ///
    /// - Parameters:
    ///   - command: the first word is looked up on PATH.
    ///   - environment: `NAME=VALUE`.
    ///   - resolverFile: the file that the command sees as /etc/resolv.conf.
    ///   - ordinarySignals: the signals to reset to their default action.
    /// - Returns: the command's process identifier.
    public func start(
        _ command: [String], environment: [String], resolverFile: String, ordinarySignals: [Int32]
    ) throws(CaptureFailure) -> Int32 {
        let arguments = CStrings(command)
        let variables = CStrings(environment)
        let (code, step, process) = resolverFile.withCString { file in
            ordinarySignals.withUnsafeBufferPointer { signals in
                arguments.pointers.withUnsafeBufferPointer { arguments in
                    variables.pointers.withUnsafeBufferPointer { variables in
                        var order = ccapture_command(
                            path: arguments[0], arguments: arguments.baseAddress, environment: variables.baseAddress,
                            resolver_file: file, ordinary_signals: signals.baseAddress,
                            ordinary_signal_count: Int32(signals.count))
                        return spawn(&order)
                    }
                }
            }
        }
        guard code == 0 else { throw CaptureFailure(step: step, errno: -code) }
        return process
    }

    private func spawn(_ order: inout ccapture_command) -> (Int32, Int32, pid_t) {
        var space = space
        var process: pid_t = 0
        var step: Int32 = 0
        let code = ccapture_spawn(&space, &order, &process, &step)
        return (code, step, process)
    }

    private static func descriptors<List>(_ list: List, _ count: Int32) -> [Int32] {
        withUnsafeBytes(of: list) { Array($0.bindMemory(to: Int32.self).prefix(Int(count))) }
    }

    /// The maximum number of ports.
    public static let mostPorts = Int(CCAPTURE_MOST_PORTS)
}

/// A null-terminated list of C strings that lives as long as this object.
private final class CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) {
        pointers = texts.map { strdup($0) } + [nil]
    }

    deinit { pointers.forEach { free($0) } }
}
