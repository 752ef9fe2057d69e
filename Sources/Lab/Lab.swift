public import NetLoop
public import TLSEngine

/// A set of local origins that each break exactly one rule, on free ports of 127.0.0.1.
///
/// Their names end in `.lab.test` and exist in no DNS: reach them with ``LabOrigin/connectTo``. The certificates are
/// new in each run; trust them with ``rootPEM``. The lab runs until ``stop()`` or until it is released.
public final class Lab: Sendable {
    /// In the order of the catalog, those without flaws first.
    public let origins: [LabOrigin]
    /// Certificate of "atsgate lab root", for `--roots` or `--extra-ca`.
    public let rootPEM: String
    /// The list of the logs that signed the leaves' timestamps, for `--ct-logs`.
    public let logsJSON: String

    private let listeners: [Listener]
    private let loops: [EventLoop]

    /// Creates certificates, which takes some tenths of a second, and opens the ports.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970-01-01 UTC; validity periods are relative to it.
    ///   - loops: the number of event loops.
    ///   - extent: the set of origins.
    public init(now: Int64, loops count: Int = 2, extent: LabExtent = .basic) throws(LabError) {
        let preparedOrigins = try Self.preparedOrigins(extent, now: now)
        rootPEM = preparedOrigins.rootPEM
        logsJSON = preparedOrigins.logsJSON
        do {
            var listeners: [Listener] = []
            for _ in preparedOrigins.all { listeners.append(try Listener.open(host: "127.0.0.1", port: 0)) }
            self.listeners = listeners
            loops = try Self.makeLoops(max(1, count))
        } catch {
            throw .net(error)
        }
        origins = zip(preparedOrigins.all, listeners).map { LabOrigin($0.specification, $0.chain, realPort: $1.port) }
        for (port, listener) in zip(preparedOrigins.all.map(\.port), listeners) {
            listener.start(loops: loops) { descriptor, peer, loop in
                port.serve(descriptor, peer: peer, on: loop)
            }
        }
    }

    deinit { stop() }

    /// Closes ports and connections soon. May be called again.
    public func stop() {
        for listener in listeners { listener.stop() }
        for loop in loops { loop.stop() }
    }

    /// Returns the origin with this host name.
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

    private static func preparedOrigins(
        _ extent: LabExtent, now: Int64
    ) throws(LabError) -> (all: [PreparedOrigin], rootPEM: String, logsJSON: String) {
        var factory: LabCertificateFactory
        do {
            factory = try LabCertificateFactory(now: now)
        } catch {
            throw .certificate(error)
        }
        var preparedOrigins: [PreparedOrigin] = []
        for specification in OriginSpecification.catalog(extent) {
            if let origin = try PreparedOrigin(specification, &factory) { preparedOrigins.append(origin) }
        }
        return (preparedOrigins, factory.root.certificatePEM, factory.logs.json)
    }
}

/// The set of origins in a lab.
public enum LabExtent: String, Sendable, Hashable, CaseIterable {
    /// One origin for each kind of flaw.
    case basic
    /// The basic ones, and one origin for each suite, edge, alert and behaviour.
    case full
}

/// One origin, ready to start.
private struct PreparedOrigin {
    let specification: OriginSpecification
    let chain: LabChain?
    let port: OriginPort

    /// - Returns: nil for an optional origin whose certificates this OpenSSL cannot make.
    init?(_ specification: OriginSpecification, _ factory: inout LabCertificateFactory) throws(LabError) {
        self.specification = specification
        do {
            chain = try Self.chain(for: specification, &factory)
        } catch {
            if specification.isOptional { return nil }
            throw .certificate(error)
        }
        port = try OriginPort(specification, chain)
    }

    private static func chain(
        for specification: OriginSpecification, _ factory: inout LabCertificateFactory
    ) throws(CertificateError) -> LabChain? {
        guard case .tls(let handshake) = specification.behaviour else { return nil }
        return try factory.chain(for: specification.name, handshake.leaf)
    }
}

/// The reason why the lab could not start.
public enum LabError: Error, Sendable {
    case certificate(CertificateError)
    case tls(TLSSetupError)
    case net(NetError)
    /// A file could not be written; with the errno.
    case unwritable(path: String, errno: Int32)
}
