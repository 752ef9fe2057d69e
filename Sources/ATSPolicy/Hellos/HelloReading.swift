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
