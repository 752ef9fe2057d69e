import ATSPolicy
import Bytes
import TLSEngine
import Testing

/// The hello that goes to origins, compared field by field with a recorded one of the same release. The differences are
/// those that docs/law/tls.md#our-hello lists.
@Suite("our hello differs from the device's only in what OpenSSL cannot send")
struct RecordedHelloTests {
    /// A recorded hello, the release and dictionary that offer it, and the differences that remain.
    struct Pair: Sendable, CustomTestStringConvertible {
        let system: String
        let hasATS: Bool
        /// The end of the recording's source, except for a remark in parentheses.
        let source: String
        let differences: Set<Difference>

        init(_ system: String, ats hasATS: Bool, _ source: String, _ differences: Set<Difference>) {
            (self.system, self.hasATS, self.source, self.differences) = (system, hasATS, source, differences)
        }

        var testDescription: String { "\(system), ATS \(hasATS ? "on" : "off"), \(source)" }
    }

    enum Difference: Hashable, Sendable, CustomStringConvertible {
        case noGREASE, orderOfExtensions, orderOfSuites
        /// The value of RFC 5746 section 3.3 among the suites, instead of the extension.
        case renegotiationAsSuite
        case no3DES
        /// The extension next_protocol_negotiation, which ALPN replaced (draft-agl-tls-nextprotoneg).
        case noNextProtocol
        /// Only with OpenSSL before 3.2.
        case noCompressedCertificates
        /// Only with OpenSSL before 3.5.
        case noHybridGroup
        /// A hello without that group is small enough to be padded.
        case paddingOfSmallHello
        case other(String)

        var description: String {
            switch self {
            case .noGREASE: "no GREASE"
            case .orderOfExtensions: "another order of extensions"
            case .orderOfSuites: "another order of suites"
            case .renegotiationAsSuite: "00ff instead of ff01"
            case .no3DES: "no 3DES"
            case .noNextProtocol: "no 3374"
            case .noCompressedCertificates: "no 001b"
            case .noHybridGroup: "no 11ec"
            case .paddingOfSmallHello: "0015"
            case .other(let text): text
            }
        }
    }

    private static let always: Set<Difference> = [.orderOfExtensions, .renegotiationAsSuite]
    private static let since14 = always.union([.noGREASE])
    private static let since15 = since14.union(hasCompression ? [] : [.noCompressedCertificates])
    private static let since26 = since15.union(
        OriginTLSContext.canOfferHybridGroup ? [] : [.noHybridGroup, .paddingOfSmallHello])
    /// 3.5 has both, 3.0 has none; the tests know no library between them.
    private static let hasCompression = OriginTLSContext.canOfferHybridGroup

    static let pairs = [
        Pair("ios12.2", ats: false, "Safari 12.1 (iOS 12.2)", always.union([.no3DES, .noNextProtocol])),
        Pair("ios13", ats: false, "HelloIOS_13", always.union([.no3DES])),
        Pair("ios14", ats: false, "HelloIOS_14", since14.union([.no3DES])),
        Pair("macos11", ats: false, "safari_15.3_macos11.6.4.yaml", since14.union([.no3DES])),
        Pair("ios15", ats: true, "MeshIos2", since15),
        Pair("macos12.3", ats: false, "Safari 15.4 (macOS 12.3.1)", since15.union([.no3DES])),
        Pair("ios17", ats: true, "NikeIosMobile", since15),
        Pair("ios17", ats: false, "safari_17.2_iOS.yaml", since15.union([.no3DES])),
        Pair("ios18.4", ats: true, "StandardIOS", since15),
        Pair("ios18.4", ats: false, "Safari 18.4 (iOS 18.4)", since15.union([.no3DES])),
        Pair("ios26", ats: true, "StandardIOS26", since26),
        Pair("ios26.2", ats: true, "StandardIOS26_2", since26),
        Pair("ios26.4", ats: false, "Safari 26.4 (iOS+iPadOS 26.4)", since26.union([.no3DES])),
        Pair("ios26.5", ats: true, "scoping notes of 2026-10-08", since26.subtracting([.noGREASE])),
        // No hello of 27 is public. It is assumed to be that of 26.5.2 (inferred).
        Pair("ios27", ats: true, "scoping notes of 2026-10-08", since26.subtracting([.noGREASE])),
        Pair("ios27", ats: false, "Safari 26.4 (iOS+iPadOS 26.4)", since26.union([.no3DES])),
    ]

    @Test("each field is that of the recording, except for the listed differences", arguments: pairs)
    func fields(pair: Pair) throws {
        let recorded = try recording(pair.source)
        let ours = try hello(pair.system, hasATS: pair.hasATS)
        #expect(Set(Self.differences(ours, recorded)) == pair.differences)
        #expect(ours[.compressions].elementsEqual(ours[.extensions].contains(0x001B) ? [1] : []))
    }

    @Test(
        "hellos of 9 to 11 have the recorded groups and signature algorithms",
        arguments: [
            ("ios9", "Apple ATS 9 iOS 9"), ("ios10", "Safari 10 iOS 10"), ("ios11", "HelloIOS_11_1"),
            ("ios12.1", "HelloIOS_12_1"),
        ])
    func old(system: String, source: String) throws {
        let recorded = try recording(source)
        let ours = try hello(system, hasATS: system == "ios9")
        #expect(ours[.groups].map(Self.hex) == recorded.groups)
        #expect(ours[.signatures].map(Self.hex) == recorded.signatures)
    }

    @Test("a hello of 26 has two key shares, of 1,216 and 32 bytes, and more than one segment") func size() throws {
        let bytes = try bytes("ios26.4", hasATS: true)
        let content = try #require(bytes.withUnsafeBytes { HelloContent(records: $0) })
        let isLarge = OriginTLSContext.canOfferHybridGroup
        #expect(content[.shares].elementsEqual(isLarge ? [HelloShape.hybridGroup, 0x001D] : [0x001D]))
        // Smaller ones are padded to 512 bytes, with five of the record's header (RFC 7685).
        #expect(isLarge ? bytes.count > 1_460 : bytes.count == 517)
        #expect(try self.bytes("ios18.4", hasATS: true).count == 517)
    }

    @Test("without the hybrid group, a hello of 26 has the fields of 18, and its own suites") func small() throws {
        let offer = try offer("ios26.4", hasATS: true)
        let small = try content(offer.withoutHybridGroup)
        let older = try hello("ios18.4", hasATS: true)
        #expect(small[.groups] == older[.groups] && small[.shares] == older[.shares])
        #expect(small[.signatures] == older[.signatures] && small[.extensions] == older[.extensions])
        #expect(small[.suites] == (try content(offer))[.suites])
    }

    @Test("the context reports what it cannot send")
    func sent() throws {
        let offer = try offer("ios27", hasATS: true)
        #expect(offer.offersHybridGroup)
        let sent = try OriginTLSContext(offer: offer).sent
        #expect(sent.offersHybridGroup == OriginTLSContext.canOfferHybridGroup)
        #expect(sent == offer || sent == offer.withoutHybridGroup)
        var old = offer
        old.maximum = .tls12
        #expect(!old.offersHybridGroup)
    }

    @Test("a NIAP package removes every SHA-1 signature, and no other") func niap() throws {
        var offer = try offer("ios15", hasATS: true)
        offer.takesSHA1Signatures = false
        let all = try hello("ios15", hasATS: true)[.signatures]
        #expect(try content(offer)[.signatures].elementsEqual(all.filter { $0 != 0x0201 && $0 != 0x0203 }))
    }

    // MARK: Comparison

    private static func differences(_ ours: HelloContent, _ recorded: HelloRecording) -> [Difference] {
        var found: [Difference] = recorded.grease && !ours.isGreased(.suites) ? [.noGREASE] : []
        let hybrid = Self.hex(HelloShape.hybridGroup)
        for (list, theirs) in [
            (HelloContent.List.groups, recorded.groups), (.shares, recorded.shares), (.versions, recorded.versions),
            (.signatures, recorded.signatures),
        ] {
            let own = ours[list].map(hex)
            if own == theirs { continue }
            let isKnown = theirs.first == hybrid && Array(theirs.dropFirst()) == own
            found.append(isKnown ? .noHybridGroup : .other("\(list): \(own)"))
        }
        let suites = compare(ours[.suites].map(hex).filter { $0 != "00ff" }, recorded.suites.filter { $0 != "00ff" })
        if suites.lacks == ["c008", "c012", "000a"] { found.append(.no3DES) } else { found += suites.others("suites") }
        if suites.isReordered { found.append(.orderOfSuites) }
        let own = ours[.extensions].map(hex)
        // Source 12.2 was recorded with a session to resume.
        let extensions = compare(own, recorded.extensions.filter { $0 != "0029" })
        let known: [String: Difference] = [
            "ff01": .renegotiationAsSuite, "3374": .noNextProtocol, "001b": .noCompressedCertificates,
        ]
        found += extensions.lacks.map { known[$0] ?? .other("lacks extension \($0)") }
        found += extensions.adds.map { $0 == "0015" ? .paddingOfSmallHello : .other("adds extension \($0)") }
        if extensions.isReordered { found.append(.orderOfExtensions) }
        return found
    }

    private struct Comparison {
        let lacks: [String]
        let adds: [String]
        let isReordered: Bool

        func others(_ list: String) -> [Difference] {
            lacks.map { .other("\(list): lacks \($0)") } + adds.map { .other("\(list): adds \($0)") }
        }
    }

    private static func compare(_ own: [String], _ theirs: [String]) -> Comparison {
        Comparison(
            lacks: theirs.filter { !own.contains($0) }, adds: own.filter { !theirs.contains($0) },
            isReordered: own.filter(theirs.contains) != theirs.filter(own.contains))
    }

    private static func hex(_ value: UInt16) -> String {
        String(String(UInt32(value) + 0x1_0000, radix: 16).suffix(4))
    }

    // MARK: Hellos

    private func recording(_ source: String) throws -> HelloRecording {
        try #require(HelloRecording.all.first { $0.source.hasSuffix(source) || $0.source.contains(source + " (") })
    }

    private func offer(_ system: String, hasATS: Bool) throws -> TLSOffer {
        let profile = try #require(OSProfile.named(system))
        let keys: [PropertyMember] =
            hasATS ? [] : [PropertyMember(key: ATSKey.arbitraryLoads, node: PropertyNode(.boolean(true)))]
        let declaration = try Declaration(root: PropertyNode(.dictionary(keys)), source: "test")
        let ruling = Judge(declaration: declaration, profile: profile).rule(
            on: LoadTarget(scheme: .https, host: "origin.test", port: 443), loader: .app)
        guard case .permit(let permit) = ruling else { throw TLSSetupError.noUsableSuite }
        return try #require(permit.offer)
    }

    private func hello(_ system: String, hasATS: Bool) throws -> HelloContent {
        try content(offer(system, hasATS: hasATS))
    }

    private func content(_ offer: TLSOffer) throws -> HelloContent {
        let bytes = try bytes(offer)
        return try #require(bytes.withUnsafeBytes { HelloContent(records: $0) })
    }

    private func bytes(_ system: String, hasATS: Bool) throws -> [UInt8] { try bytes(offer(system, hasATS: hasATS)) }

    private func bytes(_ offer: TLSOffer) throws -> [UInt8] {
        let context = try OriginTLSContext(offer: offer)
        let side = try Side {
            try TLSMachine.origin(context, serverName: "origin.test", alpn: ["h2", "http/1.1"], outbox: $0)
        }
        side.machine.start()
        return Array(side.outbox.bytes)
    }
}
