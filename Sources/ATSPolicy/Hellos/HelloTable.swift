/// A list of suites that identifies a client, with its meaning and source.
public struct HelloRow: Sendable {
    /// The client that sends the list, for reports.
    public let name: String
    public let kind: HelloReading.Kind
    public let certainty: Confidence
    public let source: String
    /// The suites, sorted.
    public let suites: [UInt16]
    /// The releases that send it, by their iOS generation; nil without a bound.
    public private(set) var first: OSVersion?
    public private(set) var last: OSVersion?
    /// True if only a hello with ``AppleMark`` is meant: other programs have the same suites.
    public private(set) var needsMark = false
    /// True if the client is part of Apple's systems.
    public private(set) var isApple = true
    /// The program, if only one sends the list.
    public private(set) var program: ClientProgram?
    /// True if apps on a device include this library.
    public private(set) var bringsOwnTLS = false
    /// A further condition on the hello; nil for none.
    private var condition: (@Sendable (HelloContent) -> Bool)?

    /// - Parameter suites: hexadecimal numbers with spaces between them.
    init(
        _ name: String, _ kind: HelloReading.Kind, _ suites: String, _ certainty: Confidence, _ source: String
    ) {
        self.name = name
        self.kind = kind
        self.certainty = certainty
        self.source = source
        self.suites = suites.split(separator: " ").compactMap { UInt16($0, radix: 16) }.sorted()
    }

    func releases(_ first: OSVersion?, to last: OSVersion? = nil) -> HelloRow {
        var row = self
        (row.first, row.last) = (first, last)
        return row
    }

    /// Only a hello with the mark of Apple's TLS.
    var marked: HelloRow {
        var row = self
        row.needsMark = true
        return row
    }

    func when(_ condition: @escaping @Sendable (HelloContent) -> Bool) -> HelloRow {
        var row = self
        row.condition = condition
        return row
    }

    /// A list of a program that is not Apple's.
    ///
    /// - Parameter isInApps: true if apps on a device include the library.
    func foreign(_ program: ClientProgram? = nil, isInApps: Bool = false) -> HelloRow {
        var row = self
        row.isApple = false
        row.program = program
        row.bringsOwnTLS = isInApps
        return row
    }

    func fits(_ hello: HelloContent, _ mark: AppleMark) -> Bool {
        (needsMark ? mark != .absent : isApple || mark == .absent) && condition?(hello) ?? true
    }
}

/// The known lists. Order matters: the first row that fits is used.
public enum HelloTable {
    public static let rows = ats + notInForce + beforeATS + others

    private static let bySuites = Dictionary(grouping: rows, by: \.suites)

    static func row(for hello: HelloContent, _ mark: AppleMark) -> HelloRow? {
        bySuites[hello[.suites].sorted()]?.first { $0.fits(hello, mark) }
    }

    // MARK: - ATS in force

    private static let ats: [HelloRow] = [
        HelloRow("an entry with a lower minimum version", .ats, ats13, .inferred, group).releases(OSVersion(15, 4))
            .marked.when { $0.minimum.map { $0 < .tls12 } ?? false },
        HelloRow(
            "URLSession with ATS", .ats, ats13, .observed, "\(group); bogdanfinn/tls-client; roolinkio/tlsprofiles"
        )
        .releases(OSVersion(15, 4)).marked,
        HelloRow("URLSession with ATS, iOS 13 to 15.3", .ats, ats17, .observedOnce, "\(group); bogdanfinn/tls-client")
            .releases(OSVersion(13), to: OSVersion(15, 3)).marked,
        HelloRow(
            "URLSession with ATS, iOS 9", .ats, "00ff c009 c00a c013 c023 c024 c027 c028 c02b c02c c02f c030",
            .observed,
            "SSL Labs, client Apple ATS 9, in testssl.sh"
        ).releases(OSVersion(9), to: OSVersion(9, 9)).when { $0.maximum == .tls12 },
        HelloRow("a minimum of TLS 1.3, from an entry or code", .ats, "1301 1302 1303", .inferred, group).releases(nil)
            .marked,
        HelloRow("17 suites: no forward secrecy, or web content", .atsOrWeb, web17, .observed, "\(group); ja4db")
            .releases(OSVersion(15, 4)).marked,
        HelloRow(
            "URLSession with NIAP TLS package 2.1", .niap, "1301 1302 1303 c02b c02c c02f c030", .inferred,
            "Apple, NSRequiresNIAPTLSPackageVersion"
        ).releases(OSVersion(26, 4)).marked,
    ]

    // MARK: - ATS not in force

    private static let notInForce: [HelloRow] = [
        HelloRow(
            "Safari, media, or an app without ATS", .notInForce, "\(web17) \(tripleDES)", .observed,
            "testssl.sh; bogdanfinn/utls; lwthiker/curl-impersonate; roolinkio/tlsprofiles"
        ).releases(OSVersion(15, 4)).marked,
        HelloRow("web content, iOS 12.2 to 15.3", .notInForce, web23, .observed, "ja4db")
            .releases(OSVersion(12, 2), to: OSVersion(15, 3)).marked,
        HelloRow(
            "Safari, iOS 12.2 to 15.3", .notInForce, "\(web23) \(tripleDES)", .observed,
            "testssl.sh; bogdanfinn/utls; lwthiker/curl-impersonate"
        ).releases(OSVersion(12, 2), to: OSVersion(15, 3)).marked,
        HelloRow("Safari, iOS 11 to 12.1", .notInForce, web20, .observed, "testssl.sh; bogdanfinn/utls; ja4db")
            .releases(OSVersion(11), to: OSVersion(12, 1)).when { $0.maximum == .tls12 },
        HelloRow("Safari, iOS 12.1", .notInForce, "\(web20) \(tripleDES)", .observedOnce, "bogdanfinn/utls")
            .releases(OSVersion(12, 1), to: OSVersion(12, 1)).when { $0.maximum == .tls12 },
        HelloRow("Safari, iOS 10", .notInForce, secureTransport, .observed, "SSL Labs, in testssl.sh")
            .releases(OSVersion(10), to: OSVersion(10, 9)).when { $0.protocolMark != 0 },
        HelloRow("web content, iOS 10", .notInForce, web18, .observed, "ja4db")
            .releases(OSVersion(10), to: OSVersion(10, 9)).when { $0.maximum == .tls12 },
        HelloRow("Secure Transport", .other, secureTransport, .observed, "testssl.sh, client Apple Mail").foreign(),
        HelloRow(
            "Safari, iOS 9", .notInForce,
            "0004 0005 000a 002f 0035 003c 003d 009c 009d 00ff c007 c008 c009 c00a c011 c012 c013 c014 c023 c024 c027 "
                + "c028 c02b c02c c02f c030", .observed, "SSL Labs, in testssl.sh"
        ).releases(OSVersion(9), to: OSVersion(9, 9)),
    ]

    /// Releases without ATS, and libraries of Apple's systems that ATS does not govern.
    private static let beforeATS: [HelloRow] = [
        HelloRow(
            "Safari, before ATS", .notInForce,
            "0004 0005 000a 0016 002f 0033 0035 0039 003c 003d 0067 006b 00ff c002 c003 c004 c005 c007 c008 c009 c00a "
                + "c00c c00d c00e c00f c011 c012 c013 c014 c023 c024 c025 c026 c027 c028 c029 c02a",
            .observed, "SSL Labs, in testssl.sh"),
        HelloRow(
            "Safari, before ATS", .notInForce,
            "0001 0002 0004 0005 000a 0016 002f 0033 0035 0039 003b 003c 003d 0067 006b 00ff c001 c002 c003 c004 c005 "
                + "c006 c007 c008 c009 c00a c00b c00c c00d c00e c00f c010 c011 c012 c013 c014 c023 c024 c025 c026 c027 "
                + "c028 c029 c02a", .observed, "SSL Labs, in testssl.sh"),
        HelloRow(
            "Safari, before ATS", .notInForce,
            "0004 0005 000a 0016 002f 0033 0035 0039 00ff c002 c003 c004 c005 c007 c008 c009 c00a c00c c00d c00e c00f "
                + "c011 c012 c013 c014", .observed, "SSL Labs, in testssl.sh"),
        HelloRow(
            "Safari, before ATS", .notInForce,
            "0003 0004 0005 0006 0008 0009 000a 0011 0012 0013 0014 0015 0016 002f 0032 0033 0035 0038 0039 c002 c003 "
                + "c004 c005 c007 c008 c009 c00a c00c c00d c00e c00f c011 c012 c013 c014", .observed,
            "SSL Labs, in testssl.sh"),
    ]

    // MARK: - Lists

    private static let group = "Security, SecProtocolInternal.h, tags 59306 to 61901"
    static let ats13 = "1301 1302 1303 c009 c00a c013 c014 c02b c02c c02f c030 cca8 cca9"
    private static let ats17 = "\(ats13) c023 c024 c027 c028"
    static let web17 = "\(ats13) 002f 0035 009c 009d"
    private static let web18 =
        "002f 0035 003c 003d 009c 009d c009 c00a c013 c014 c023 c024 c027 c028 c02b c02c c02f c030"
    private static let web20 = "\(web18) cca8 cca9"
    private static let web23 = "\(web20) 1301 1302 1303"
    private static let secureTransport = "\(web18) 000a 00ff c008 c012"
    private static let tripleDES = "000a c008 c012"
}

/// The lists of programs that do not use Apple's TLS. Some have the same suites as Apple's lists, without its mark.
extension HelloTable {
    static let others: [HelloRow] = [
        HelloRow("Go", .other, ats13, .observed, "testssl.sh, client go 1.17.8; public JA4 lists; Go 1.22 and later")
            .foreign(.go, isInApps: true),
        HelloRow("Firefox", .other, web17, .observed, "testssl.sh, clients Firefox 100 and 137")
            .foreign(.firefox).when { $0[.groups].contains(ffdhe2048) },
        HelloRow("Dart", .other, web17, .observedOnce, "Averyy/wafer, wafer/_dart.py, Dart 3.11")
            .foreign(.dart, isInApps: true).when { $0.protocolMark == 0 && $0[.extensions].contains(ticket) },
        HelloRow("Android 11 to 14, HttpsURLConnection", .other, web17, .observed, "testssl.sh, clients Android 11, 14")
            .foreign().when { $0[.extensions].contains(ticket) },
        HelloRow("Go before 1.22", .other, web17, .observedOnce, "public JA4 lists").foreign(.go, isInApps: true),
        HelloRow(
            "Go before 1.22", .other, "\(web17) 000a c012", .observed, "testssl.sh, client go 1.17.8"
        ).foreign(.go, isInApps: true),
        HelloRow(
            "Go with TLS 1.2", .other, "002f 0035 009c 009d c009 c00a c013 c014 c02b c02c c02f c030 cca8 cca9",
            .inferred,
            "Go, crypto/tls/defaults.go"
        ).foreign(.go, isInApps: true),
        HelloRow("Firefox", .other, boringSSL, .observedOnce, "lexiforest/curl-impersonate, Firefox 155")
            .foreign(.firefox).when { $0[.groups].contains(ffdhe2048) },
        HelloRow("BoringSSL: Chromium, Cronet, OkHttp", .other, boringSSL, .observed, "testssl.sh, client Chromium 137")
            .foreign(nil, isInApps: true),
        HelloRow(
            "BoringSSL: Chromium, Cronet, OkHttp", .other, "\(boringSSL) 000a", .observed,
            "testssl.sh, client Android 10.0"
        ).foreign(nil, isInApps: true),
        HelloRow(
            "OkHttp with TLS 1.2", .other, "002f 0035 009c 009d c013 c014 c02b c02c c02f c030 cca8 cca9", .observedOnce,
            "refraction-networking/utls, HelloAndroid_11_OkHttp"
        ).foreign(.okhttp, isInApps: true),
        HelloRow("OpenSSL 1.1.1 or 3.0", .other, openSSL31, .observed, "testssl.sh, client OpenSSL 3.0.15; curl 7.88.1")
            .foreign().when { $0[.extensions].contains(encryptThenMAC) },
        HelloRow("Java", .other, openSSL31, .observed, "testssl.sh, client Java 21.0.6").foreign(.java),
        HelloRow("Java", .other, "\(openSSL31) \(dss)", .observed, "OpenJDK 17.0.15, HttpsURLConnection").foreign(
            .java),
        HelloRow("Node.js", .other, "\(openSSL31) \(dss) \(node)", .observed, "Node.js 20.20, module tls").foreign(
            .node),
        HelloRow("OpenSSL 3.5 or later", .other, openSSL30, .observed, "testssl.sh, clients OpenSSL 3.5.0, 4.0.0")
            .foreign(),
        HelloRow(
            "Python", .other,
            "0067 006b 009e 009f 00ff 1301 1302 1303 c023 c024 c027 c028 c02b c02c c02f c030 cca8 cca9",
            .observed, "Python 3.11, ssl module"
        ).foreign(.python),
        HelloRow("LibreSSL: curl of macOS", .other, libreSSL46, .observed, "testssl.sh, client LibreSSL 2.8.3")
            .foreign(.curl),
        HelloRow(
            "LibreSSL: curl of macOS", .other, "\(libreSSL46) 1301 1302 1303", .observed,
            "testssl.sh, client LibreSSL 3.3.6"
        ).foreign(.curl),
        HelloRow(
            "Firefox", .other, "\(ats13) 000a 002f 0033 0035 0039", .observed, "testssl.sh, client Firefox 71"
        ).foreign(.firefox).when { $0[.groups].contains(ffdhe2048) },
        HelloRow(
            "NSS: Thunderbird", .other, "\(web17) 000a", .observed, "testssl.sh, client Thunderbird 91.9"
        ).foreign().when { $0[.groups].contains(ffdhe2048) },
    ]

    /// session_ticket.
    private static let ticket: UInt16 = 35
    private static let encryptThenMAC: UInt16 = 22
    private static let ffdhe2048: UInt16 = 0x0100

    private static let boringSSL = "002f 0035 009c 009d 1301 1302 1303 c013 c014 c02b c02c c02f c030 cca8 cca9"
    private static let openSSL30 =
        "002f 0033 0035 0039 003c 003d 0067 006b 009c 009d 009e 009f 1301 1302 1303 c009 c00a c013 c014 c023 c024 c027 "
        + "c028 c02b c02c c02f c030 cca8 cca9 ccaa"
    private static let openSSL31 = openSSL30 + " 00ff"
    /// DHE with DSS certificates.
    private static let dss = "0032 0038 0040 006a 00a2 00a3"
    /// AES-CCM and ARIA.
    private static let node =
        "c050 c051 c052 c053 c056 c057 c05c c05d c060 c061 c09c c09d c09e c09f c0a0 c0a1 c0a2 c0a3 c0ac c0ad c0ae c0af"
    private static let libreSSL46 =
        "0004 0005 000a 0016 002f 0033 0035 0039 003c 003d 0041 0045 0067 006b 0081 0084 0088 009c 009d 009e 009f 00ba "
        + "00be 00c0 00c4 00ff c007 c008 c009 c00a c011 c012 c013 c014 c023 c024 c027 c028 c02b c02c c02f c030 cca8 cca9 "
        + "ccaa ff85"
}
