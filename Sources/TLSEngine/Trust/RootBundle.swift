internal import COpenSSL
internal import Synchronization
import Text

/// The platform's roots. Their hashes are known from the start; each is decoded when a chain needs it.
///
/// OpenSSL 3.0 needs about 0.1 ms to decode a certificate, mostly for the key. Decoding a bundle of 140 would be a
/// third of the gate's start time, and a chain needs one of them.
final class RootBundle: Sendable {
    /// The SHA-256 of each root, in hexadecimal.
    let hashes: Set<String>

    private let roots: [[UInt8]]
    /// Indexes in `roots` by subject hash; nil until first used.
    private let places = Mutex<[UInt: [Int]]?>(nil)
    /// Decoded roots by index, never freed. OpenSSL may hold a root that is not in its store: if two threads add the
    /// same root, the store keeps only one.
    private let decoded = Mutex<[Int: Certificate]>([:])

    /// - Throws: ``TrustStoreError``; `malformed` for a block that is not Base64. Certificates are decoded later, and
    ///   one that cannot be decoded is ignored.
    init(path: String) throws(TrustStoreError) {
        let source = try PEMFile(path)
        var roots: [[UInt8]] = []
        while let root = source.nextCertificateBytes() { roots.append(root) }
        try source.expectEnd(after: roots.count)
        self.roots = roots
        hashes = Set(roots.map { sha256($0).hexadecimal })
    }

    /// Makes a store look up missing roots here. The store must not outlive this object.
    func serve(_ store: OpaquePointer) {
        guard let lookup = X509_STORE_add_lookup(store, Self.method) else { return }
        X509_LOOKUP_set_method_data(lookup, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Adds the roots with that subject to a store.
    ///
    /// - Returns: one of them; nil if there are none.
    @discardableResult
    func add(named subject: OpaquePointer?, to store: OpaquePointer?) -> Certificate? {
        var found: Certificate?
        for place in index[X509_NAME_hash_ex(subject, nil, nil, nil)] ?? [] {
            guard let root = certificate(at: place), root.isSelfIssued,
                X509_NAME_cmp(X509_get_subject_name(root.raw), subject) == 0
            else { continue }
            X509_STORE_add_cert(store, root.raw)
            found = root
        }
        ErrorQueue.clear()
        return found
    }

    private var index: [UInt: [Int]] {
        places.withLock { places in
            if let places { return places }
            var made: [UInt: [Int]] = [:]
            for (place, root) in roots.enumerated() {
                if let hash = Self.subjectHash(of: root) { made[hash, default: []].append(place) }
            }
            places = made
            return made
        }
    }

    private func certificate(at place: Int) -> Certificate? {
        decoded.withLock { decoded in
            if let known = decoded[place] { return known }
            let made = roots[place].withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                return d2i_X509(nil, &cursor, bytes.count).map { Certificate(owned: $0) }
            }
            decoded[place] = made
            return made
        }
    }

    /// Returns the hash of a certificate's subject: the sixth field of the signed part, or the fifth in version 1,
    /// which omits the version number. Source: RFC 5280 section 4.1.
    private static func subjectHash(of certificate: [UInt8]) -> UInt? {
        certificate.withUnsafeBufferPointer { bytes -> UInt? in
            var reader = ValueReader(bytes)
            guard reader.next() != nil, reader.next() != nil, var part = reader.next() else { return nil }
            if part.isTagged(0) {
                reader.skip(part)
                guard let number = reader.next() else { return nil }
                part = number
            }
            // Serial number, signature algorithm, issuer, validity.
            for left in (0..<4).reversed() {
                reader.skip(part)
                guard left > 0 else { break }
                guard let following = reader.next() else { return nil }
                part = following
            }
            var cursor: UnsafePointer<UInt8>? = reader.cursor
            guard let name = d2i_X509_NAME(nil, &cursor, reader.rest) else { return nil }
            defer { X509_NAME_free(name) }
            return X509_NAME_hash_ex(name, nil, nil, nil)
        }
    }

    /// The lookup callbacks for OpenSSL. Created once, never freed.
    // Unsafe: a C pointer is not Sendable. The method is complete before it is published, and only read afterwards.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        let method = X509_LOOKUP_meth_new("platform roots")
        _ = X509_LOOKUP_meth_set_get_by_subject(method) { lookup, kind, subject, answer in
            guard kind == X509_LU_X509, let data = X509_LOOKUP_get_method_data(lookup) else { return 0 }
            let bundle = Unmanaged<RootBundle>.fromOpaque(data).takeUnretainedValue()
            guard let root = bundle.add(named: subject, to: X509_LOOKUP_get_store(lookup)) else { return 0 }
            // The caller adds a reference and returns none, so the bundle keeps ownership.
            guard X509_OBJECT_set1_X509(answer, root.raw) == 1 else { return 0 }
            X509_free(root.raw)
            return 1
        }
        return method
    }()
}

/// Reads DER value by value: ASN1_get_object(3).
private struct ValueReader {
    struct Value {
        let length: Int
        let tag: Int32
        let tagClass: Int32

        func isTagged(_ number: Int32) -> Bool { tagClass == V_ASN1_CONTEXT_SPECIFIC && tag == number }
    }

    private(set) var cursor: UnsafePointer<UInt8>?
    private(set) var rest: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        cursor = bytes.baseAddress
        rest = bytes.count
    }

    /// Moves to the content of the next value; nil if no complete value follows.
    mutating func next() -> Value? {
        let start = cursor
        var length = 0
        var tag: Int32 = 0
        var tagClass: Int32 = 0
        guard let start, rest > 0, ASN1_get_object(&cursor, &length, &tag, &tagClass, rest) & 0x80 == 0, let cursor,
            length >= 0
        else { return nil }
        rest -= start.distance(to: cursor)
        return length <= rest ? Value(length: length, tag: tag, tagClass: tagClass) : nil
    }

    /// Skips the content of the value that ``next()`` just returned.
    mutating func skip(_ value: Value) {
        cursor = cursor.map { $0 + value.length }
        rest -= value.length
    }
}
