public import NetLoop
public import TLSEngine

/// A set of local origins that each break exactly one rule, on free ports of 127.0.0.1.
///
/// Their names end in `.lab.test` and exist in no DNS: reach them with ``LabOrigin/connectTo``. Certificates are made
/// anew each time; believe them by ``rootPEM``. Runs until ``stop()`` or until it is dropped.
public final class Lab: Sendable {
    /// In the order of the catalog, the good ones first.
    public let origins: [LabOrigin]
    /// Certificate of "atsgate lab root", for `--roots` or `--extra-ca`.
    public let rootPEM: String

    private let listeners: [Listener]
    private let loops: [EventLoop]

    /// Makes certificates, which takes about half a second, and opens the ports.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970-01-01 UTC; validity periods are made around it.
    ///   - loops: threads' worth of origins.
    public init(now: Int64, loops count: Int = 2) throws(LabError) {
        let doors = try Self.doors(now: now)
        rootPEM = doors.rootPEM
        do {
            var listeners: [Listener] = []
            for _ in doors.all { listeners.append(try Listener.open(host: "127.0.0.1", port: 0)) }
            self.listeners = listeners
            loops = try Self.makeLoops(max(1, count))
        } catch {
            throw .net(error)
        }
        origins = zip(Blueprint.catalog, listeners).map { LabOrigin($0, realPort: $1.port) }
        for (door, listener) in zip(doors.all, listeners) {
            listener.start(loops: loops) { descriptor, peer, loop in
                door.open(for: descriptor, peer: peer, on: loop)
            }
        }
    }

    deinit { stop() }

    /// Closes ports and connections soon. May be called again.
    public func stop() {
        for listener in listeners { listener.stop() }
        for loop in loops { loop.stop() }
    }

    /// The origin with this host name.
    public func origin(named name: String) -> LabOrigin? {
        origins.first { $0.name == name }
    }

    private static func makeLoops(_ count: Int) throws(NetError) -> [EventLoop] {
        var loops: [EventLoop] = []
        do throws(NetError) {
            for index in 0..<count { loops.append(try EventLoop(index: index)) }
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        return loops
    }

    private static func doors(now: Int64) throws(LabError) -> (all: [Door], rootPEM: String) {
        let certificates: LabCertificates
        do {
            certificates = try LabCertificates(now: now)
        } catch {
            throw .certificate(error)
        }
        var doors: [Door] = []
        for blueprint in Blueprint.catalog { doors.append(try Door(blueprint, certificates)) }
        return (doors, certificates.root.certificatePEM)
    }
}

/// Why the lab did not open.
public enum LabError: Error, Sendable {
    case certificate(CertificateError)
    case tls(TLSSetupError)
    case net(NetError)
    /// The root could not be written; the errno.
    case unwritable(path: String, errno: Int32)
}
