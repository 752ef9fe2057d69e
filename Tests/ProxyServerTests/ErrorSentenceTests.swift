import ATSPolicy
import Files
import Foundation
import NetLoop
import ProxyServer
import Records
import Reporting
import TLSEngine
import Testing

/// Every error that ends a command, in its displayed form. To read them aloud:
/// `PRINT_SENTENCES=1 swift test --filter ErrorSentenceTests`.
@Suite("error messages are readable")
struct ErrorSentenceTests {
    /// 2025-11-01.
    private static let seconds: Int64 = 1_761_955_200

    private static let net: [NetError] = [
        .addressInUse("127.0.0.1:9802"), .cannotListen("192.0.2.1:9802", errno: EADDRNOTAVAIL),
        .badAddress("example.com:9802"), .descriptorLimit, .stopped, .system(call: "epoll_create1", errno: EMFILE),
    ]

    private static let certificates: [CertificateError] = [
        .ipAddress("300.1.1.1"), .time(seconds), .host(""), .host(String(repeating: "a", count: 300)),
        .library(0x0A00_0152),
    ]

    private static let authorities: [CertificateAuthorityError] =
        [
            .unreadable(path: "ca.pem", .system(errno: ENOENT)), .unwritable(path: "ca.pem", errno: EACCES),
            .exposed(path: "ca.pem", mode: 0o644), .foreign(path: "ca.pem", owner: 1000), .locked(path: "ca"),
            .missing(path: "ca.pem"), .malformed(path: "ca.pem"), .mismatch(key: "k.pem", certificate: "c.pem"),
            .notAuthority(path: "ca.pem"), .expired(path: "ca.pem", notAfter: seconds),
        ] + certificates.map { .certificate($0) }

    private static let trust: [TrustStoreError] = [
        .unreadable(path: "r.pem", .system(errno: ENOENT)), .empty(path: "r.pem"), .malformed(path: "r.pem", number: 2),
        .notSelfIssued(path: "r.pem", subject: "CN=Example CA 1"), .library(0x0A00_0152),
    ]

    private static let setups: [TLSSetupError] = [
        .noUsableSuite, .serverName, .protocolName, .library(0x0A00_0152),
    ]

    private static let identities: [ClientIdentityError] = [
        .unreadable(path: "c.pem", .system(errno: ENOENT)), .noCertificate(path: "c.pem"),
        .malformedCertificate(path: "c.pem", number: 2), .noKey(path: "c.pem"), .encryptedKey(path: "c.pem"),
        .keyOfAnother(path: "c.pem"),
    ]

    private static let stores: [StoreError] = [
        .notADatabase(path: "s.db"), .foreignDatabase(path: "s.db"), .otherVersion(path: "s.db", found: 7),
        .missing(path: "s.db"), .missingFolder(path: "a/s.db", folder: "a"),
        .cannotOpen(path: "s.db", cause: "disk I/O error"),
        .damaged(path: "s.db", cause: "its time is not a number"),
        .badLine(path: "s.jsonl", line: 5, cause: "load.port is of another type"),
        .unreadableRecord(id: "01KGH000000000000000000000", cause: "a part of it is damaged"),
    ]

    private static var gate: [GateError] {
        [
            .noRedirects("127.0.0.1:9902"),
            .policy(DeclarationError(source: "Info.plist", keyPath: "NSExceptionDomains", line: 3, what: "is no list")),
            .logs(.unreadable(path: "logs.json", .system(errno: ENOENT))), .parentIsGate("127.0.0.1:9802"),
            .keyLog(KeyLogError(path: "keys.txt", errno: EACCES)),
            .keyLog(KeyLogError(path: "keys.txt", errno: EPERM, isExposed: true)), .lanNotAllowed("0.0.0.0:9802"),
        ] + trust.map { .trust($0) } + authorities.map { .authority($0) } + identities.map { .clientCertificate($0) }
            + net.flatMap { [.listen("127.0.0.1:9802", $0), .loop($0)] } + setups.map { .tls($0) }
    }

    private static var sentences: [String] {
        gate.map(\.sentence) + stores.map { "\($0)" } + certificates.map { "\($0)" }
    }

    @Test("no error message contains raw values, syntax, empty parts or repetitions")
    func all() {
        for sentence in Self.sentences {
            #expect(!sentence.isEmpty && sentence.faults == [], "\(sentence)")
        }
        if ProcessInfo.processInfo.environment["PRINT_SENTENCES"] != nil {
            print(Self.sentences.joined(separator: "\n"))
        }
    }

    @Test("a listen address of another machine exits with 64, one in use with 69")
    func exitCodes() {
        #expect(GateError.listen("", .cannotListen("192.0.2.1:1", errno: EADDRNOTAVAIL)).exitCode == 64)
        #expect(GateError.listen("", .addressInUse("127.0.0.1:1")).exitCode == 69)
    }

    @Test("the date on which a CA expired is shown as a date")
    func day() {
        #expect(
            GateError.authority(.expired(path: "ca.pem", notAfter: Self.seconds)).sentence.contains("on 2025-11-01:"))
    }
}

extension String {
    /// Patterns that do not belong in a message for people.
    fileprivate var faults: [String] {
        var faults: [String] = []
        if contains("..") || contains("  ") || contains(": :") { faults.append("doubled") }
        if contains("errno") || contains(#/[a-z]\([a-z]+: /#) || contains(#/Optional\(|\bnil\b/#) {
            faults.append("syntax")
        }
        if contains(#/[1-9]\d{8,}/#) { faults.append("a number of seconds, or a packed code") }
        if contains(#/(^|[ (])\.[a-z]+[A-Z]/#) { faults.append("a case of an enumeration") }
        let parts = components(separatedBy: ": ")
        if Set(parts).count < parts.count { faults.append("repeated") }
        return faults
    }
}
