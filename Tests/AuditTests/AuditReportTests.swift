import ATSPolicy
import Audit
import Diagnosis
import Testing

@Suite("Pages of audits")
struct AuditReportTests {
    private func app(_ hosts: String, ats: String = "") throws -> SampleApp {
        let app = try SampleApp()
        try app.addInfo(ats: ats)
        try app.add("app.js", hosts)
        return app
    }

    private func target(_ scheme: LoadTarget.Scheme, _ host: String) -> LoadTarget {
        LoadTarget(scheme: scheme, host: host, port: scheme.defaultPort)
    }

    @Test("coverage counts hosts of the app, lists cleartext that was not loaded and hosts of no file")
    func coverage() throws {
        let app = try app("'https://a.demo.app','http://b.demo.app','https://c.demo.app','http://127.0.0.1:1'")
        var report = try AppAudit().audit(app.path)
        report.cover(with: [target(.https, "a.demo.app"): 3, target(.https, "other.demo.app"): 2], recording: "ci")
        let coverage = try #require(report.coverage)
        #expect(coverage.hosts == 3 && coverage.loaded == 1 && coverage.percent == 33)
        #expect(coverage.neverLoaded == ["http://b.demo.app"])
        #expect(coverage.notInApp.map(\.host) == ["other.demo.app"])
        #expect(report.hosts.first { $0.row.host == "a.demo.app" }?.loads == 3)
        #expect(report.hosts.first { $0.row.host == "b.demo.app" }?.loads == 0)
        report.require(coverage: 33)
        #expect(!report.fails(.error))
        report.require(coverage: 34)
        #expect(report.fails(.error))
    }

    @Test("a comparison names changed keys, new hosts, removed hosts and changed rulings")
    func diff() throws {
        let old = try app("'https://a.demo.app','http://b.demo.app'")
        let new = try app("'https://c.demo.app','http://b.demo.app'", ats: "<key>NSAllowsArbitraryLoads</key><true/>")
        let diff = AuditDiff(from: try AppAudit().audit(old.path), to: try AppAudit().audit(new.path))
        #expect(diff.posture.first?.hasPrefix("The grade changes from A to F") == true)
        #expect(diff.dictionaries.first?.text.contains("NSAllowsArbitraryLoads") == true)
        #expect(diff.addedHosts.count == 1 && diff.addedHosts[0].hasPrefix("https://c.demo.app (allowed)"))
        #expect(diff.removedHosts.count == 1 && diff.removedHosts[0].hasPrefix("https://a.demo.app"))
        #expect(diff.changedHosts == ["http://b.demo.app: blocked before, allowed now"])
        let same = AuditDiff(from: try AppAudit().audit(old.path), to: try AppAudit().audit(old.path))
        #expect(same.isEmpty)
    }

    @Test("keys of templates are named with their source, those whose files are in the app first")
    func origins() throws {
        let app = try app("1", ats: "<key>NSAllowsLocalNetworking</key><true/><key>Other</key><true/>")
        try app.add("main.jsbundle", "var a=1")
        let origins = try #require(try AppAudit().audit(app.path).withKeyOrigins.keyOrigins)
        #expect(origins.map(\.keyPath) == ["NSAllowsLocalNetworking", "Other"])
        #expect(origins[0].writers.first?.name == "React Native template, 0.72 and later")
        #expect(origins[0].writers.first?.isInApp == true && origins[0].writers.allSatisfy { !$0.source.isEmpty })
        #expect(origins[1].writers.isEmpty)
    }

    @Test("every format contains the grade's sentence or the finding, and no raw markup of the app")
    func formats() throws {
        let app = try app("'http://b.demo.app/<script>'", ats: "<key>&lt;b&gt;x</key><true/>")
        let page = AuditPage(try AppAudit().audit(app.path), date: "2026-11-28", toolVersion: "1.2.3")
        for format in AuditFormat.allCases {
            let text = page.text(format)
            #expect(text.contains("b.demo.app"), "\(format)")
            #expect(text.hasSuffix("\n"), "\(format)")
        }
        #expect(!page.text(.html).contains("<b>x") && page.text(.html).contains("&lt;b&gt;x"))
        #expect(
            page.text(.json).contains(
                #""ruling":{"app":"deny","web":"deny","media":"deny"},"local":false,"loaded":null"#))
        #expect(page.text(.text).hasPrefix("grade D  ATS is in force for every host."))
        #expect(page.text(.sarif).contains("audit.cleartext-blocked"))
    }

    @Test("dates of pins come from TrustKit's configuration")
    func pins() throws {
        let app = try SampleApp()
        try app.addInfo(
            more: "<key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict><key>pin.demo.app</key><dict>"
                + "<key>TSKExpirationDate</key><string>2027-03-01</string><key>TSKPublicKeyHashes</key><array>"
                + "<string>r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=</string></array></dict></dict></dict>")
        let pins = try AppAudit().audit(app.path).executables[0].pins
        #expect(pins.map(\.name) == ["pin.demo.app"] && pins[0].date == "2027-03-01")
    }
}
