import ATSPolicy
import Audit
import Diagnosis
import Testing

@Suite("Audits of apps")
struct AppAuditTests {
    @Test("hosts of binaries, property lists, JSON and JavaScript are found, each with its place")
    func places() throws {
        let app = try SampleApp()
        try app.addInfo(more: "<key>Server</key><string>https://plist.demo.app/</string>")
        try app.add("Main", MachOWriter(sections: [.strings(["https://code.demo.app/v1", "bare.demo.com"])]).bytes)
        try app.add("Frameworks/Kit.framework/Kit", MachOWriter(sections: [.wide(["http://wide.demo.app/"])]).bytes)
        try app.add("config.json", #"{"url": "https:\/\/json.demo.app\/v1", "host": "json2.demo.com"}"#)
        try app.add("www/app.js", "fetch('http://script.demo.app:8080/x'),new WebSocket(`wss://socket.demo.app`)")
        let report = try AppAudit().audit(app.path)
        let places = Dictionary(uniqueKeysWithValues: report.hosts.map { ($0.row.host, $0.row.found.map(\.words)) })
        #expect(
            places == [
                "plist.demo.app": ["Demo.app/Info.plist Server"], "code.demo.app": ["Demo.app/Main __TEXT,__cstring"],
                "bare.demo.com": ["Demo.app/Main __TEXT,__cstring"], "json.demo.app": ["Demo.app/config.json"],
                "wide.demo.app": ["Demo.app/Frameworks/Kit.framework/Kit __TEXT,__ustring"],
                "json2.demo.com": ["Demo.app/config.json"], "script.demo.app": ["Demo.app/www/app.js"],
                "socket.demo.app": ["Demo.app/www/app.js"],
            ])
        #expect(
            report.hosts.prefix(2).map(\.row.host) == ["script.demo.app", "wide.demo.app"], "cleartext comes first")
        #expect(report.hosts[0].row.key.port == 8080)
    }

    @Test("each host has the ruling of its dictionary, for app, web and media")
    func rulings() throws {
        let app = try SampleApp()
        try app.addInfo(
            ats: "<key>NSAllowsArbitraryLoadsInWebContent</key><true/><key>NSExceptionDomains</key><dict>"
                + "<key>open.demo.app</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>")
        try app.add(
            "a.js", "['http://open.demo.app','http://shut.demo.app','https://safe.demo.app','http://localhost:8081']")
        let report = try AppAudit().audit(app.path)
        let words = Dictionary(uniqueKeysWithValues: report.hosts.map { ($0.row.host, $0.ruling.words) })
        #expect(words["open.demo.app"] == "allowed" && words["safe.demo.app"] == "allowed")
        #expect(words["shut.demo.app"] == "blocked for app and media" && words["localhost"] == "allowed")
        #expect(report.grade == .c)
        let rules = Set(report.findings.map(\.rule))
        #expect(rules.isSuperset(of: ["audit.cleartext-allowed", "audit.cleartext-blocked"]))
        #expect(!report.fails(.error) && report.fails(.warning))
    }

    @Test("namespaces, documentation and names of no server are kept apart, and so are hosts that are inserted later")
    func noise() throws {
        let app = try SampleApp()
        try app.addInfo()
        try app.add(
            "Main",
            MachOWriter(sections: [
                .strings([
                    "http://www.w3.org/2000/svg", "http://schemas.android.com/apk", "see https://reactjs.org/link/x",
                    "https://%@/v1", "http://%s:%d/x", "https://name/a", "http://", "https://demo.app/%@",
                ])
            ]).bytes)
        try app.add("LICENSE.txt", "http://licence.demo.app")
        try app.add("page.js", "`https://${host}/api`, `https://api.${stage}.demo.app/`")
        let report = try AppAudit().audit(app.path)
        #expect(report.hosts.map(\.row.host) == ["demo.app"])
        #expect(
            Set(report.noise.map(\.row.host)) == [
                "www.w3.org", "schemas.android.com", "reactjs.org", "name", "licence.demo.app",
            ])
        #expect(
            Set(report.templates.compactMap(\.url)) == [
                "https://%@/v1", "http://%s:%d/x", "https://${host}/api", "https://api.${stage}.demo.app/",
            ])
    }

    @Test("the strings of Hermes bytecode are separated by its table", arguments: [16, 12])
    func hermes(functionBytes: Int) throws {
        let app = try SampleApp()
        try app.addInfo()
        let long = "https://long.demo.app/" + String(repeating: "x", count: 300)
        let strings = [
            "https://one.demo.app", "s", long, "http://two.demo.app", "three.demo.com",
            "ünïcode=https://wide.demo.app/",
        ]
        try app.add("main.jsbundle", HermesWriter.file(strings, functionBytes: functionBytes))
        let report = try AppAudit().audit(app.path)
        #expect(
            report.hosts.map(\.row.host) == [
                "two.demo.app", "long.demo.app", "one.demo.app", "wide.demo.app", "three.demo.com",
            ])
    }

    @Test("adjacent strings of Rust and Dart are separated")
    func adjacent() throws {
        let app = try SampleApp()
        try app.addInfo()
        let rust = Array("https://one.demo.comhttps://two.demo.com/vhttp://three.demo.comGETfailed to".utf8)
        try app.add("Main", MachOWriter(sections: [.init(name: "__const", content: rust)]).bytes)
        // Lengths of Dart's snapshot: 24 characters, then 100.
        let first = Array("https://dart.demo.com/ab".utf8)
        let dart = [0x80 + UInt8(first.count << 1)] + first + [UInt8(200 & 0x7F), 0x80 + 1] + Array("x".utf8)
        try app.add(
            "Frameworks/App.framework/App", MachOWriter(sections: [.init(name: "__const", content: dart)]).bytes)
        let report = try AppAudit().audit(app.path)
        #expect(report.hosts.map(\.row.host) == ["three.demo.com", "dart.demo.com", "one.demo.com", "two.demo.com"])
        #expect(report.hosts[1].row.url == "https://dart.demo.com/ab")
    }

    @Test("the app, its extension, its watch app and its app clip have their own dictionaries")
    func executables() throws {
        let app = try SampleApp()
        try app.addInfo()
        try app.addInfo(
            "PlugIns/Share.appex", id: "app.example.demo.share", ats: "<key>NSAllowsArbitraryLoads</key><true/>")
        try app.addInfo("Watch/Clock.app", id: "app.example.demo.watch")
        try app.addInfo("AppClips/Clip.app", id: "app.example.demo.clip")
        try app.add("PlugIns/Share.appex/Main", MachOWriter(sections: [.strings(["http://share.demo.app"])]).bytes)
        let report = try AppAudit().audit(app.path)
        #expect(
            report.executables.map { "\($0.kind.rawValue) \($0.path)" } == [
                "app Demo.app", "app-clip Demo.app/AppClips/Clip.app", "extension Demo.app/PlugIns/Share.appex",
                "watch-app Demo.app/Watch/Clock.app",
            ])
        #expect(
            report.grade == .f && report.headline.hasPrefix("Demo.app/PlugIns/Share.appex: ATS is off for every host"))
        #expect(report.hosts.first?.ruling.app == true, "the extension's own dictionary rules")
        #expect(report.executables[2].questions.map(\.key) == ["NSAllowsArbitraryLoads"])
    }

    @Test(
        "SDK and encryption come from the binary, and the oldest system is the later one of binary and Info.plist",
        arguments: [(0x0010_0000, "iOS 16"), (0x000C_0000, "iOS 15")] as [(UInt32, String)])
    func system(oldest: UInt32, minimumOS: String) throws {
        let app = try SampleApp()
        try app.addInfo()
        var writer = MachOWriter(sections: [.strings(["https://secret.demo.app"])])
        writer.build = (2, oldest, 0x0010_0400)
        writer.encryption = 1
        try app.add("Main", writer.bytes)
        let report = try AppAudit().audit(app.path)
        let system = report.executables[0].system
        #expect(system.minimumOS == minimumOS)
        #expect(system.linkedSDK == LinkedSDK(platform: .ios, version: OSVersion(16, 4)) && system.isEncrypted)
        #expect(system.consequences.contains { $0.contains("addresses") })
        #expect(report.hosts.isEmpty && report.remarks.contains { $0.contains("encrypted by the App Store") })
    }

    @Test("malformed files give a remark, and the others are still read")
    func malformed() throws {
        let app = try SampleApp()
        try app.addInfo()
        let whole = MachOWriter(sections: [.strings(["https://one.demo.app"])]).bytes
        try app.add("Main", Array(whole.prefix(60)))
        try app.add("Broken.plist", "<plist><dict><key>")
        try app.add("main.jsbundle", Array(HermesWriter.file(["https://two.demo.app"]).prefix(180)))
        try app.add("ok.json", #""https://three.demo.app""#)
        let report = try AppAudit().audit(app.path)
        #expect(report.hosts.map(\.row.host) == ["three.demo.app"])
        #expect(report.remarks.count { $0.contains("malformed") || $0.contains("unknown layout") } == 2)
        #expect(throws: DeclarationError.self) { try AppAudit().audit(app.folder + "/none.app") }
    }

    @Test("a malformed binary is searched as plain bytes, which the page and the lines with the grade show")
    func plainBytes() throws {
        let app = try SampleApp()
        try app.addInfo()
        var writer = MachOWriter(sections: [.strings(["http://one.demo.app"]), .wide(["https://wide.demo.app/"])])
        writer.cpu = 0x0A98_A66C
        var bytes = writer.bytes
        // The first load command is too short, so no section is found.
        bytes.replaceSubrange(36..<40, with: [4, 0, 0, 0])
        try app.add("Main", bytes)
        let report = try AppAudit().audit(app.path)
        #expect(report.hosts.map(\.row.host) == ["one.demo.app", "wide.demo.app"])
        #expect(report.hosts.allSatisfy { $0.row.found == [FoundPlace(file: "Demo.app/Main", part: "plain bytes")] })
        let page = AuditPage(report, date: "2026-11-28", toolVersion: "1")
        #expect(page.summary.hasSuffix("; read as plain bytes: Demo.app/Main"))
        #expect(report.headline == "ATS is in force for every host. Read as plain bytes: Demo.app/Main.")
        for format in AuditFormat.allCases where format != .json {
            #expect(
                page.text(format).contains(
                    "Demo.app/Main was read as plain bytes, because the file is malformed: load command 1 of 2"),
                "\(format)")
        }
        #expect(page.text(.text).contains("unknown processor"))
    }

    @Test("bytes of a malformed binary that a section has are searched once")
    func partlyMalformed() throws {
        let app = try SampleApp()
        try app.addInfo()
        var bytes = MachOWriter(sections: [.strings(["https://one.demo.app", "bare.demo.com"])]).bytes
        // The number of load commands.
        bytes[16] = 9
        try app.add("Main", bytes + Array("https://rest.demo.app".utf8))
        let report = try AppAudit().audit(app.path)
        #expect(
            report.hosts.map { "\($0.row.host) \($0.row.found.map { $0.part ?? "" })" } == [
                #"one.demo.app ["__TEXT,__cstring"]"#, #"rest.demo.app ["plain bytes"]"#,
                #"bare.demo.com ["__TEXT,__cstring"]"#,
            ])
    }

    @Test("a property list alone has its dictionary and its hosts")
    func propertyList() throws {
        let app = try SampleApp()
        try app.addInfo(
            ats: "<key>NSExceptionDomains</key><dict><key>entry.demo.com</key><dict>"
                + "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>")
        let report = try AppAudit().audit(app.path + "/Info.plist")
        #expect(report.executables.map(\.kind) == [.file])
        #expect(report.hosts.map(\.row.host) == ["entry.demo.com"] && report.hosts[0].row.scheme == nil)
        #expect(report.grade == .b && report.digest.utf8.count == 64)
    }
}
