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
