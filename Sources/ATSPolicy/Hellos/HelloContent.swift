/// The values of a ClientHello that identify its client, without those that differ with each connection: random bytes,
/// the server name, keys. Source: RFC 8446 section 4.1.2.
///
/// GREASE values (RFC 8701) are random, so only their presence is kept. All lists together are one array, which is
/// never larger than the hello.
public struct HelloContent: Sendable, Hashable {
    /// The lists, in the order in which they must be added.
    public enum List: Int, Sendable, CaseIterable {
        /// Cipher suites, in the order offered.
        case suites
        /// Extension types, in the order sent.
        case extensions
        /// supported_groups.
        case groups
        /// The groups of key_share.
        case shares
        /// signature_algorithms.
        case signatures
        /// supported_versions.
        case versions
        /// The algorithms of compress_certificate (RFC 8879).
        case compressions
    }

    /// The version in the hello's own field, 0x0303 since TLS 1.2.
    public var legacyVersion: UInt16
    /// Two characters for the first protocol of ALPN, as JA4 writes them; 0 without ALPN.
    public var protocolMark: UInt16 = 0
    /// The lists that contain a GREASE value, as bits.
    private var greased: UInt8 = 0
    /// True if a list was longer than ``longestList``, and is cut.
    public private(set) var isCut = false
    private var values: [UInt16] = []
    /// The length of each list in `values`.
    private var counts = SIMD8<UInt16>()

    /// - Parameter capacity: the expected number of values in all lists.
    public init(legacyVersion: UInt16, capacity: Int = 0) {
        self.legacyVersion = legacyVersion
        values.reserveCapacity(capacity)
    }

    /// A hello that is too long to be read.
    public static let tooLong: HelloContent = {
        var content = HelloContent(legacyVersion: TLSVersion.tls12.rawValue)
        content.isCut = true
        return content
    }()

    /// Appends a value to a list. Lists are filled in their order.
    public mutating func add(_ value: UInt16, to list: List) {
        guard !Self.isGrease(value) else {
            greased |= 1 << UInt8(list.rawValue)
            return
        }
        guard counts[list.rawValue] < Self.longestList else {
            isCut = true
            return
        }
        values.append(value)
        counts[list.rawValue] += 1
    }

    /// The values of a list, without GREASE.
    public subscript(list: List) -> ArraySlice<UInt16> {
        let start = (0..<list.rawValue).reduce(0) { $0 + Int(counts[$1]) }
        return values[start..<start + Int(counts[list.rawValue])]
    }

    /// True if the list contains a GREASE value.
    public func isGreased(_ list: List) -> Bool { greased & 1 << UInt8(list.rawValue) != 0 }

    /// The versions that the client offers; without supported_versions, the one in the legacy field.
    public var offeredVersions: [UInt16] {
        let listed = self[.versions]
        return listed.isEmpty ? [legacyVersion] : Array(listed)
    }

    /// The lowest TLS version that the client offers. nil if a hello without supported_versions shows only its highest
    /// one, or if it offers none.
    public var minimum: TLSVersion? { self[.versions].compactMap(TLSVersion.init(rawValue:)).min() }

    /// The highest TLS version that the client offers.
    public var maximum: TLSVersion? { offeredVersions.compactMap(TLSVersion.init(rawValue:)).max() }

    /// Source: RFC 8701 section 2.
    public static func isGrease(_ value: UInt16) -> Bool { value & 0x0F0F == 0x0A0A && value >> 8 == value & 0xFF }

    /// The most values of a list that are kept. Real clients send at most 50 suites (testssl.sh,
    /// etc/client-simulation.wiresharked.txt).
    public static let longestList = 128

    /// Compares all values at once.
    public func hash(into hasher: inout Hasher) {
        values.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(protocolMark)
    }
}
