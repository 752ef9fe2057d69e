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

/// The meaning of a ClientHello: the state of ATS on the device for this load.
///
/// Sources: Security, SecProtocolInternal.h and SecProtocolConfiguration.m, tags 59306 to 61901 (the suites of a group);
/// public captures, named by each row of ``HelloTable``; docs/law/hellos.md.
public struct HelloReading: Sendable, Hashable {
    /// Raw values are stored and shown: never rename one, only add.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// ATS is in force, with forward secrecy.
        case ats
        /// The list of 17 suites: ATS in force without forward secrecy, or web content without ATS.
        case atsOrWeb = "ats-or-web"
        /// ATS is not in force for this load: Safari, media, an exempt app, or a system process.
        case notInForce = "not-in-force"
        /// ATS is in force, narrowed by a NIAP package.
        case niap
        /// The client does not use Apple's TLS for apps.
        case other
        /// The hello has the mark of Apple's TLS, and a list that is not known.
        case unknown

        /// For sentences: `ATS in force`.
        public var words: String {
            switch self {
            case .ats: "ATS in force"
            case .atsOrWeb: "ATS in force without forward secrecy, or web content"
            case .notInForce: "ATS not in force"
            case .niap: "ATS in force with a NIAP package"
            case .other: "not Apple's TLS"
            case .unknown: "an unknown list of Apple's TLS"
            }
        }
    }

    public let kind: Kind
    /// The lowest TLS version offered; nil if the hello does not show it.
    public let minimum: TLSVersion?
    public let certainty: Confidence
    /// The row's name: the list's client. nil if no row has the list.
    public let matches: String?
    /// The program that sends the list; nil for Apple's lists, and if several programs share it.
    public let program: ClientProgram?
    /// True if the list belongs to a library that apps on a device include, so that ATS does not govern its loads.
    public let bringsOwnTLS: Bool
    /// The releases that send such a hello, by their iOS generation; nil without a bound.
    public let first: OSVersion?
    public let last: OSVersion?

    public init(_ hello: HelloContent) {
        let mark = AppleMark(hello)
        let row = HelloTable.row(for: hello, mark)
        kind = row?.kind ?? (mark == .absent ? .other : .unknown)
        minimum = hello.minimum
        // An Apple list with its extensions in another order may be an imitation.
        let isDoubtful = row?.needsMark == true && mark != .whole
        certainty = isDoubtful ? .inferred : row?.certainty ?? .inferred
        matches = row?.name
        program = row?.program
        bringsOwnTLS = row?.bringsOwnTLS ?? false
        let isApple = row?.isApple ?? false
        // Apple support 122756: the systems of 26 offer this group, with a key share.
        let isHybrid = mark != .absent && hello[.groups].contains(HelloShape.hybridGroup)
        first = isHybrid ? OSVersion(26) : isApple ? row?.first : nil
        last = isHybrid || !isApple ? nil : row?.last
    }

    /// True if the hello shows the state of ATS.
    public var showsATS: Bool {
        switch kind {
        case .ats, .atsOrWeb, .notInForce, .niap: true
        case .other, .unknown: false
        }
    }
}

/// The features that Apple's TLS has and other programs lack: rsa_pss_rsae_sha384 twice in the signature algorithms, from
/// iOS 12.1 on, and a fixed order of extensions. Source: testssl.sh, etc/client-simulation.wiresharked.txt (Safari 12.2 to
/// 26.4, and 14 other programs); bogdanfinn/utls; bogdanfinn/tls-client. Confidence: observed.
public enum AppleMark: Sendable, Hashable {
    case absent
    /// The signature algorithm is repeated, but the extensions are in another order.
    case partial
    case whole

    init(_ hello: HelloContent) {
        guard hello[.signatures].count(where: { $0 == Self.repeated }) == 2 else {
            self = .absent
            return
        }
        self = Self.orders.contains { Self.isSorted(hello[.extensions], by: $0) } ? .whole : .partial
    }

    /// rsa_pss_rsae_sha384.
    private static let repeated: UInt16 = 0x0805

    /// From iOS 13 on, and of 12.1 and 12.2. Not every hello has all of them; padding and pre_shared_key are the last.
    private static let orders: [[UInt16]] = [
        [0, 23, 0xFF01, 10, 11, 16, 5, 13, 18, 51, 45, 43, 27, 21, 41],
        [0xFF01, 0, 23, 13, 5, 0x3374, 18, 16, 11, 51, 45, 43, 10, 21, 41],
    ]

    private static func isSorted(_ types: ArraySlice<UInt16>, by order: [UInt16]) -> Bool {
        var place = order.startIndex
        for type in types {
            guard let found = order[place...].firstIndex(of: type) else { return false }
            place = found + 1
        }
        return true
    }
}
