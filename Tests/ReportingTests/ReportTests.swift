import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Reports")
struct ReportTests {
    @Test("the text report of a mixed recording equals the expected text")
    func golden() throws {
        let report = try ReportFormat.text.render(mixed)
        #expect(report == mixedReport)
        #expect(report.utf8.allSatisfy { $0 < 0x80 && ($0 >= 0x20 || $0 == 0x0A) })
    }

    @Test("an empty recording has a header and no tables")
    func empty() throws {
        let report = try ReportFormat.text.render([])
        #expect(report.hasPrefix("No load came through the gate, so nothing was judged\n\nRECORDING\n"))
        #expect(report.hasSuffix("  loads       0\n"))
    }

    @Test("colours are printed only on request")
    func coloured() throws {
        let report = try ReportFormat.text.render(mixed, ReportContext(isColoured: true))
        #expect(report.contains("\u{1B}[31mBLOCKED (3)\u{1B}[0m"))
    }

    @Test("JSON lines are the stored lines")
    func lines() throws {
        let report = try ReportFormat.jsonl.render(mixed)
        #expect(report == mixed.map { RecordJSON.text($0) + "\n" }.joined())
    }

    @Test("a record reads back with its filed values")
    func readsBack() throws {
        let text = RecordJSON.text(SampleLoads.filed(SampleLoads.forwardSecrecy(3)))
        let load = try RecordPiece.decoded(text, .whole).record
        #expect(load.load.url == "https://rsa-kx.lab.test/3")
        #expect(load.findings.first?.rule == .forwardSecrecy)
        #expect(load.apple?.codes == "-1200 [3:-9802]")
        let fix = ExceptionFix(
            domain: "rsa-kx.lab.test", settings: [.init("NSExceptionRequiresForwardSecrecy", .flag(false))])
        #expect(load.remedy?.exception == fix)
        #expect(load.timing.total == 12_345)
        #expect(load.time == 1_770_091_506_003)
    }

    @Test("a report of witness mode does not count its unenforced loads as passed")
    func witnessed() throws {
        let records = [SampleLoads.cleartext(), SampleLoads.unreachable()].map { record in
            var record = record
            record.policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil, mode: "witness")
            return SampleLoads.filed(record)
        }
        let report = try ReportFormat.text.render(records)
        #expect(report.contains("blocked nothing and decrypted no TLS: the verdicts of 2 loads are predictions"))
        #expect(!report.contains("passed"))
    }

    @Test(
        "the entrances are listed if not all loads came through the HTTP proxy",
        arguments: [ReportFormat.text, .markdown, .html])
    func entrances(format: ReportFormat) throws {
        let ways: [LoadEntrance?] = [.wireguard, nil, .socks, .proxy]
        let records = zip(0..., ways).map { number, way in
            var record = SampleLoads.plain(number, verdict: way == .wireguard ? .outside : .allowed)
            record.client = record.client.entering(by: way)
            return SampleLoads.filed(record)
        }
        let text = try format.render(records)
        var place = text.startIndex
        for words in ["ntrance", "proxy: 2", "socks: 1", "wireguard: 1 (1 outside)"] {
            let found = try #require(text[place...].range(of: words), "\(words)")
            place = found.upperBound
        }
        let plain = try format.render(mixed)
        #expect(!plain.contains("ntrance"))
    }

    private var mixed: [LoadRecord] {
        let records =
            (0..<2).map { SampleLoads.plain($0) }
            + [SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(5)]
            + [SampleLoads.forwardSecrecy(verdict: .wouldBlock, confidence: .inferred), SampleLoads.unreachable()]
            + [SampleLoads.plain(9, verdict: .outside, host: "plain.lab.test")]
        return records.map { SampleLoads.filed($0) }
    }
}

private let mixedReport = """
    3 of 8 loads blocked, on 1 host, by ats.forward-secrecy; 1 outside ATS

    BLOCKED (3)
      rsa-kx.lab.test  ats.forward-secrecy  -1200 [3:-9802]  x3
        url    https://rsa-kx.lab.test/0 (+1 other URL)
        why    origin chose TLS_RSA_WITH_AES_128_GCM_SHA256 (no entry: secure default)
        fix    Offer an ECDHE suite.
        or     in Info.plist: NSExceptionDomains "rsa-kx.lab.test": NSExceptionRequiresForwardSecrecy = false
               <key>NSAppTransportSecurity</key>
               <dict>
                 <key>NSExceptionDomains</key>
                 <dict>
                   <key>rsa-kx.lab.test</key>
                   <dict>
                     <key>NSExceptionRequiresForwardSecrecy</key>
                     <false/>
                   </dict>
                 </dict>
               </dict>
        client app, ios26

    WOULD BLOCK (1)
      rsa-kx.lab.test  ats.forward-secrecy  -1200 [3:-9802]  x1
        url    https://rsa-kx.lab.test/0
        why    origin chose TLS_RSA_WITH_AES_128_GCM_SHA256 (inferred) (no entry: secure default)
        fix    Offer an ECDHE suite.
        or     in Info.plist: NSExceptionDomains "rsa-kx.lab.test": NSExceptionRequiresForwardSecrecy = false
        client app, ios26

    FAILED (1)
      gone.lab.test  net.refused  x1
        url    https://gone.lab.test/0
        why    port 443 of gone.lab.test is closed
        client app, ios26

    ALLOWED (2)
      count  tls  url
          2  1.3  https://api.lab.test/0 (+1 other URL)

    OUTSIDE (1)
      count  tls  url
          1  -    https://plain.lab.test/9

    HINTS
      - -9802 is the catch-all TLS error of a device; the rule names the cause.
      - Audit mode let 1 load through that a device would block.
      - The cause of a failed load is the network or the server, not ATS.
      - Not judged: 1 load outside ATS, which carried neither HTTP nor TLS.
      - (inferred): no public source shows this case on a device; it is derived from related cases.

    RECORDING
      name        nightly
      release     ios26
      dictionary  App/Info.plist (test.lab.demo)
      time        2026-02-03 04:05:06 UTC
      loads       8: 2 allowed, 3 blocked, 1 would block, 1 failed, 1 outside

    """
