import ATSPolicy
import Foundation
import Lab
import Testing

@Suite("descriptions of the lab")
struct WordsTests {
    let lab: Lab

    init() throws {
        lab = try LabEnvironment.shared.get().lab
    }

    @Test("the table has a heading and a line for each origin")
    func table() {
        let lines = lab.table.split(separator: "\n")
        #expect(lines.count == lab.origins.count + 1)
        #expect(lines.first?.hasPrefix("URL ") == true)
        for (line, origin) in zip(lines.dropFirst(), lab.origins) {
            #expect(line.hasPrefix(origin.url))
            #expect(line.contains(origin.connectTo))
            #expect(line.hasSuffix(origin.flaw))
        }
    }

    @Test("the JSON has the documented keys and the same content")
    func json() throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(lab.json(logList: "/l").utf8))
        let rows = try #require(parsed as? [[String: Any]])
        #expect(rows.count == lab.origins.count)
        let keys: Set = [
            "name", "scheme", "port", "realPort", "url", "flaw", "expectedVerdict", "rule", "appleError",
            "exception", "connectTo", "olderSystems", "ruleDespiteException", "redirect", "publicKeys", "ctLogs",
            "expectations", "underNIAP",
        ]
        for (row, origin) in zip(rows, lab.origins) {
            #expect(Set(row.keys) == keys)
            #expect(row["name"] as? String == origin.name)
            #expect(row["ctLogs"] as? String == "/l")
            #expect(row["realPort"] as? Int == origin.realPort)
            #expect(row["rule"] as? String == origin.rule?.rawValue)
            #expect((row["appleError"] as? [String: Any])?["code"] as? Int == origin.appleCode)
            #expect((row["exception"] is NSNull) == (origin.minimalException == nil))
        }
    }

    @Test("an exception has the form of an entry under NSExceptionDomains")
    func exception() throws {
        let line = try #require(lab.json().split(separator: "\n").first { $0.contains("rsa-kx.lab.test") })
        #expect(line.contains(#""exception":{"rsa-kx.lab.test":{"NSExceptionRequiresForwardSecrecy":false}}"#))
    }

    @Test("a root that cannot be written causes an error that names the file")
    func unwritable() {
        #expect {
            try lab.writeRoot(to: "/nowhere/at/all.pem")
        } throws: { error in
            guard case LabError.unwritable(path: "/nowhere/at/all.pem", errno: ENOENT) = error else { return false }
            return true
        }
    }

    @Test("a lab may be stopped twice")
    func stoppedTwice() throws {
        let lab = try Lab(now: 1_700_000_000, loops: 1)
        lab.stop()
        lab.stop()
        #expect(lab.origins.count == self.lab.origins.count)
    }
}
