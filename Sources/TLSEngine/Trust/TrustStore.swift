public import ATSPolicy
internal import Bytes
internal import COpenSSL
public import Files
internal import Foundation
internal import Synchronization
import Text

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
        case .empty(let path): "\(path) has no certificate in PEM or DER"
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
                system.insert(sha256(root.der).hexadecimal)
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
        if let certificate = source.certificateInDER() { return [certificate] }
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

extension TrustStore {
    /// Returns the certificate whose key signed a leaf: one from the served chain, or a known root.
    func issuer(of leaf: OpaquePointer, servedWith chain: OpaquePointer?) -> Certificate? {
        for index in 1..<max(1, chain.map { ossl_certificates_count($0) } ?? 0) {
            guard let candidate = ossl_certificate_at(chain, index) else { continue }
            if Self.signed(leaf, candidate) { return Certificate(sharing: candidate) }
        }
        guard let context = X509_STORE_CTX_new() else { return nil }
        defer { X509_STORE_CTX_free(context) }
        var found: OpaquePointer?
        guard X509_STORE_CTX_init(context, raw, leaf, nil) == 1,
            X509_STORE_CTX_get1_issuer(&found, context, leaf) == 1, let found
        else { return nil }
        let root = Certificate(owned: found)
        return Self.signed(leaf, root.raw) ? root : nil
    }

    private static func signed(_ leaf: OpaquePointer, _ issuer: OpaquePointer) -> Bool {
        guard X509_check_issued(issuer, leaf) == X509_V_OK, let key = X509_get0_pubkey(issuer) else { return false }
        return X509_verify(leaf, key) == 1
    }

    /// Replaces the chain in the facts of a handshake with one that the same origin sent in the clear to another
    /// client. If both chains are equal, all facts stay. Otherwise only the timestamps in the new leaf count.
    ///
    /// - Parameters:
    ///   - chain: in DER, leaf first.
    ///   - hosts: the hosts that the leaf is judged for, see ``TLSMachine/facts(trust:for:)``.
    /// - Returns: false if a certificate cannot be read.
    public func put(_ chain: [[UInt8]], into facts: inout HandshakeFacts, for hosts: [String]) -> Bool {
        let certificates = chain.compactMap { Certificate(der: $0) }
        guard certificates.count == chain.count else { return false }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let stack = CertificateStack(certificates)
        let seen = evaluate(served: stack.raw, for: hosts)
        guard !facts.hasServed(seen.served) else { return true }
        facts.unkeptCertificates = nil
        facts.served = seen.served
        facts.path = seen.path
        facts.anchor = seen.anchor
        (facts.faults, facts.otherPaths) = (seen.faults, seen.otherPaths)
        facts.staple = nil
        facts.sctReview = nil
        facts.scts = SCTCounts()
        guard let leaf = certificates.first else { return true }
        let list = X509_get_ext_d2i(leaf.raw, NID_ct_precert_scts, nil, nil).map { OpaquePointer($0) }
        defer { SCT_LIST_free(list) }
        let timestamps = (0..<max(0, list.map { ossl_scts_count($0) } ?? 0)).compactMap { ossl_sct_at(list, $0) }
        facts.scts.embedded = timestamps.count
        guard let logs else { return true }
        let review = logs.review(timestamps, of: leaf.raw, issuer: issuer(of: leaf.raw, servedWith: stack.raw))
        facts.sctReview = review
        facts.scts = review.counts
        return true
    }
}

extension Certificate {
    /// nil if the bytes are not exactly one certificate.
    convenience init?(der: [UInt8]) {
        let raw = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress else { return nil }
            var cursor: UnsafePointer<UInt8>? = start
            guard let raw = d2i_X509(nil, &cursor, bytes.count) else { return nil }
            guard cursor == start + bytes.count else {
                X509_free(raw)
                return nil
            }
            return raw
        }
        guard let raw else { return nil }
        self.init(owned: raw)
    }
}

extension ClientTLSContext {
    /// Returns a suite by its number, with OpenSSL's standard name for it.
    func suite(_ code: UInt16) -> CipherSuite {
        let bytes = [UInt8(code >> 8), UInt8(code & 0xFF)]
        let name = SSL_CIPHER_find(names.raw, bytes).flatMap { SSL_CIPHER_standard_name($0) }
        // A name without "_WITH_" would look like a TLS 1.3 suite.
        return CipherSuite(
            code: code, name: name.map { String(cString: $0) } ?? "TLS_UNKNOWN_WITH_\(String(code, radix: 16))")
    }
}
