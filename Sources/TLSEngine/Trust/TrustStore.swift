internal import ATSPolicy
internal import Bytes
internal import COpenSSL
public import Files
internal import Foundation
internal import Synchronization

/// The reason why a file of roots cannot be used. Every case names the file.
public enum TrustStoreError: Error, Sendable, Hashable {
    case unreadable(path: String, FileFault)
    /// The file has no certificate.
    case empty(path: String)
    /// The certificate with this number (from 1) cannot be read.
    case malformed(path: String, number: Int)
    /// A user root that another certificate issued: devices accept only roots as anchors.
    case notSelfIssued(path: String, subject: String)
    /// OpenSSL ran out of memory, with its packed error code.
    case library(UInt64)
}

extension TrustStoreError: CustomStringConvertible {
    /// The file, the problem and the way to fix it.
    public var description: String {
        switch self {
        case .unreadable(let path, let fault): "\(path) cannot be read: \(fault.words)"
        case .empty(let path): "\(path) has no certificate in PEM"
        case .malformed(let path, let number): "certificate \(number) of \(path) cannot be read"
        case .notSelfIssued(let path, let subject):
            "\(path) has \(subject), which is not a root: use the certificate that issued it"
        case .library(let code): "the roots could not be loaded: OpenSSL error \(ErrorQueue.words(code))"
        }
    }
}

/// The trusted roots, and the check of served chains against them.
///
/// Only self-issued certificates are anchors. Other certificates in a system bundle are skipped, so that they cannot
/// hide an incomplete chain. In a file of user roots they are an error.
public final class TrustStore: Sendable {
    private let handle: StoreHandle
    /// The logs that timestamps are verified against; nil if timestamps are only counted.
    public let logs: TransparencyLogs?
    private let systemRoots: Set<String>
    /// The store looks roots up here, so it must live as long.
    private let platform: RootBundle?
    private let cache = Mutex(WeighedCache<[UInt8], ServedChain>(.chains, limit: 8 << 20, count: TrustStore.cacheLimit))

    /// - Parameters:
    ///   - systemRootsPEM: files trusted as the system's roots.
    ///   - platformBundle: one more such file, see ``platformBundlePath()``. Its roots are decoded when needed, and
    ///     those that cannot be decoded are ignored.
    ///   - userRootsPEM: files trusted as roots that the user installed.
    ///   - logs: the logs to verify transparency timestamps against.
    public init(
        systemRootsPEM: [String], platformBundle: String? = nil, userRootsPEM: [String], logs: TransparencyLogs? = nil
    ) throws(TrustStoreError) {
        ErrorQueue.clear()
        self.logs = logs
        handle = try StoreHandle()
        let store = handle.raw
        var system: Set<String> = []
        for path in systemRootsPEM {
            for root in try Self.certificates(in: path) where root.isSelfIssued {
                system.insert(hexadecimal(sha256(root.der)))
                X509_STORE_add_cert(store, root.raw)
            }
        }
        if let platformBundle {
            let bundle = try RootBundle(path: platformBundle)
            system.formUnion(bundle.hashes)
            bundle.serve(store)
            platform = bundle
        } else {
            platform = nil
        }
        systemRoots = system
        for path in userRootsPEM {
            for root in try Self.certificates(in: path) {
                guard root.isSelfIssued else { throw .notSelfIssued(path: path, subject: root.facts.subject) }
                X509_STORE_add_cert(store, root.raw)
                // OpenSSL does not look up a name that the store already has, so roots with the same name are added
                // now.
                platform?.add(named: X509_get_subject_name(root.raw), to: store)
            }
        }
        ErrorQueue.clear()
    }

    var raw: OpaquePointer { handle.raw }

    /// The platform's bundle: the paths of Debian, of Fedora, and of Alpine and macOS.
    public static func platformBundlePath() -> String? {
        [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ].first { access($0, R_OK) == 0 }
    }

    /// Returns the facts of a served chain, and its path to an anchor. Times are not checked, so results do not age and
    /// are cached.
    ///
    /// - Parameter hosts: the leaf's names for these hosts are kept, however many names it has.
    func evaluate(served: OpaquePointer?, for hosts: [String]) -> ServedChain {
        let certificates = (0..<max(0, served.map { ossl_certificates_count($0) } ?? 0)).compactMap {
            ossl_certificate_at(served, $0).map { Certificate(sharing: $0) }
        }
        let key = sha256(certificates.flatMap(\.der))
        if let known = cache.withLock({ $0.value(for: key) }) { return known.showing(hosts) }
        let answer = ServedChain.reading(certificates, store: raw, systemRoots: systemRoots)
        cache.withLock { $0.keep(answer, for: key, bytes: answer.bytes + key.count) }
        return answer.showing(hosts)
    }

    private static func certificates(in path: String) throws(TrustStoreError) -> [Certificate] {
        let source = try PEMFile(path)
        var found: [Certificate] = []
        while let certificate = source.nextCertificate() { found.append(certificate) }
        try source.expectEnd(after: found.count)
        return found
    }

    /// The largest number of cached chains.
    private static let cacheLimit = 1_024
}

/// A class of its own so that a failing `TrustStore.init` frees the store: a class whose `init` throws early is never
/// deinitialized.
// Unchecked: a C pointer is not Sendable. The X509_STORE locks its own look-ups and what they add (X509_STORE_new(3)).
private final class StoreHandle: @unchecked Sendable {
    let raw: OpaquePointer

    init() throws(TrustStoreError) {
        guard let raw = X509_STORE_new() else { throw .library(ErrorQueue.drain().first ?? 0) }
        self.raw = raw
    }

    deinit { X509_STORE_free(raw) }
}
