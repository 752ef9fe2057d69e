import CCapture
public import NetLoop
import Synchronization

/// A network of its own for a command, whose every way out leads to sockets of this process. The command starts in it;
/// this process stays where it is, and reaches the world from there.
///
/// In it are loopback, which is the command's own, and routes that call every address a local one. Source:
/// network_namespaces(7), user_namespaces(7); ip-route(8), "local". It lasts as long as this or a process in it does.
public final class CaptureSpace: Sendable {
    /// An address in it.
    public struct Place: Hashable, Sendable {
        public let host: String
        public let port: Int
    }

    private let space: ccapture_space
    /// The listening sockets, for who opens a listener at their places.
    public let sockets: InheritedSockets
    /// Where an HTTP proxy is to listen for what obeys the proxy variables.
    public let proxy: Place
    /// Where connections come in that were made to any other address.
    public let entrances: [Place]
    let nameListeners: [Place]
    private let areNamesTaken = Mutex(false)
    private let areRefusalsTaken = Mutex(false)

    /// Connections to every port come in, not only those to the ports that were named.
    public var catchesEveryPort: Bool { space.catches_all != 0 }

    /// - Parameters:
    ///   - ports: those that are listened on where the system has no nftables, at most ``mostPorts``.
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
        let places = sockets.places.map { Place(host: $0.host, port: $0.port) }
        proxy = places[0]
        nameListeners = Array(places[1..<(1 + names.count)])
        self.entrances = Array(places[(1 + names.count)...])
    }

    deinit {
        close(space.network)
        if space.user >= 0 { close(space.user) }
        for socket in takeNameSockets() + takeRefusalSockets() { close(socket) }
    }

    /// The sockets for questions in datagrams, which are the caller's from now on; none the second time.
    func takeNameSockets() -> [Int32] {
        areNamesTaken.withLock { areTaken in
            defer { areTaken = true }
            return areTaken ? [] : Self.descriptors(space.names, space.name_count)
        }
    }

    /// The same of those that tell what was refused.
    func takeRefusalSockets() -> [Int32] {
        areRefusalsTaken.withLock { areTaken in
            defer { areTaken = true }
            return areTaken ? [] : Self.descriptors(space.refusals, space.refusal_count)
        }
    }

    /// Starts a command in it, in this process's group and on its terminal. It gets SIGTERM when the calling thread ends
    /// before it does.
    ///
    /// - Parameters:
    ///   - command: the first is looked up on PATH.
    ///   - environment: `NAME=VALUE`.
    ///   - resolverFile: is /etc/resolv.conf for the command.
    ///   - ordinarySignals: have their default action for it.
    /// - Returns: its process identifier.
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

    /// How many ports can be named.
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
