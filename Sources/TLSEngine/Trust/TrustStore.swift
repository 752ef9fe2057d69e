internal import ATSPolicy
internal import Bytes
internal import COpenSSL
public import Files
internal import Foundation
internal import Synchronization

/// Why a file of roots cannot be used. Every case names the file.
public enum TrustStoreError: Error, Sendable, Hashable {
    case unreadable(path: String, FileFault)
    /// No certificate in it.
    case empty(path: String)
    /// The certificate with this number (from 1) cannot be read.
    case malformed(path: String, number: Int)
    /// A user root whose issuer is another certificate: a device takes only roots as anchors.
    case notSelfIssued(path: String, subject: String)
    /// OpenSSL has no memory; its packed error code.
    case library(UInt64)
}

extension TrustStoreError: CustomStringConvertible {
    /// Which file, what is wrong with it, and how to mend it.
    public var description: String {
        switch self {
        case .unreadable(let path, let fault): "\(path) can not be read: \(fault.words)"
        case .empty(let path): "\(path) holds no certificate in PEM"
        case .malformed(let path, let number): "certificate \(number) of \(path) can not be read"
        case .notSelfIssued(let path, let subject):
            "\(path) has \(subject), which is no root: give the certificate that issued it"
        case .library(let code): "the roots could not be taken: OpenSSL error \(ErrorQueue.words(code))"
        }
    }
}

/// The roots that are believed, and how a served chain stands to them.
///
/// Only self-issued certificates are anchors. Others in a system bundle are passed over, so that they cannot hide an
/// incomplete chain; others given by the user are an error.
public final class TrustStore: Sendable {
    private let handle: StoreHandle
    /// Logs that timestamps are held against; nil where they are only counted.
    public let logs: TransparencyLogs?
    private let systemRoots: Set<String>
    /// What the store asks, so it has to live as long.
    private let platform: RootBundle?
    private let cache = Mutex(WeighedCache<[UInt8], ServedChain>(.chains, limit: 8 << 20, count: TrustStore.cacheLimit))

    /// - Parameters:
    ///   - systemRootsPEM: files believed as the system's.
    ///   - platformBundle: one more such file, see ``platformBundlePath()``, whose roots are decoded when they are
    ///     needed: what cannot be decoded then is no root.
    ///   - userRootsPEM: files believed as installed by the user.
    ///   - logs: what transparency timestamps are held against.
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
                // A store that holds one of a name asks nobody for others.
                platform?.add(named: X509_get_subject_name(root.raw), to: store)
            }
        }
        ErrorQueue.clear()
    }

    var raw: OpaquePointer { handle.raw }

    /// The platform's own bundle: where Debian, Fedora, and Alpine and macOS keep it.
    public static func platformBundlePath() -> String? {
        [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ].first { access($0, R_OK) == 0 }
    }

    /// Facts of a served chain, and its path to an anchor. Times are not checked, so the answer never ages and chains
    /// seen before are answered from memory.
    ///
    /// - Parameter hosts: whose names are among those that are kept of the leaf, however many it has.
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

    /// Chains remembered.
    private static let cacheLimit = 1_024
}

/// By itself, so that roots that are refused take it along: a class that throws while it is made is never deinitialized.
// Unchecked: a pointer of C is not Sendable. The X509_STORE locks its own look-ups and what they add
// (X509_STORE_new(3)).
private final class StoreHandle: @unchecked Sendable {
    let raw: OpaquePointer

    init() throws(TrustStoreError) {
        guard let raw = X509_STORE_new() else { throw .library(ErrorQueue.drain().first ?? 0) }
        self.raw = raw
    }

    deinit { X509_STORE_free(raw) }
}
