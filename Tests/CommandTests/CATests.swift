import Foundation
import Testing

@Suite("ca", .timeLimit(.minutes(10)))
struct CATests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("the CA is made on first use, is kept, and its key is readable by this user only")
    func madeOnce() throws {
        let first = try Binary.run(["ca", "--ca-dir", "ca"], in: folder)
        let second = try Binary.run(["ca", "--ca-dir", "ca"], in: folder)
        #expect(first.status == 0)
        #expect(first.output == second.output)
        let key = try FileManager.default.attributesOfItem(atPath: folder.path("ca/ca-key.pem"))
        #expect(key[.posixPermissions] as? Int == 0o600)
    }

    @Test("PEM and DER contain the same certificate, in a file and on standard output")
    func export() throws {
        let pem = try Binary.run(["ca", "export", "--ca-dir", "ca"], in: folder).output
        let der = try Binary.run(
            ["ca", "export", "--ca-dir", "ca", "--format", "der", "--output", "ca.der"], in: folder)
        #expect(der.status == 0)
        #expect(der.output.isEmpty)
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        #expect(try Data(contentsOf: folder.url.appending(path: "ca.der")) == Data(base64Encoded: body))
        #expect(!pem.contains("PRIVATE KEY"))
    }

    @Test("the profile for Apple devices contains the same certificate, and is the same each time")
    func exportProfile() throws {
        let pem = try Binary.run(["ca", "export", "--ca-dir", "ca"], in: folder).output
        let first = try Binary.run(["ca", "export", "--ca-dir", "ca", "--format", "mobileconfig"], in: folder)
        let second = try Binary.run(["ca", "export", "--ca-dir", "ca", "--format", "mobileconfig"], in: folder)
        #expect(first.status == 0)
        #expect(first.output == second.output)
        let list = try PropertyListSerialization.propertyList(from: Data(first.output.utf8), format: nil)
        let payloads = (list as? [String: Any])?["PayloadContent"] as? [[String: Any]]
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        #expect(payloads?.first?["PayloadContent"] as? Data == Data(base64Encoded: body))
    }

    @Test("rotate makes another CA and keeps the old files")
    func rotate() throws {
        let old = try Binary.run(["ca", "--ca-dir", "ca"], in: folder).output
        #expect(try Binary.run(["ca", "rotate", "--ca-dir", "ca"], in: folder).status == 0)
        #expect(try Binary.run(["ca", "--ca-dir", "ca"], in: folder).output != old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("ca")).count == 4)
    }

    @Test("every command refuses a key that others can read, with 65 and its name")
    func exposedKey() throws {
        _ = try Binary.run(["ca", "--ca-dir", "ca"], in: folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("ca/ca-key.pem"))
        for command in [["ca", "show"], ["proxy", "--listen", "127.0.0.1:0"], ["run"]] {
            let tail = command == ["run"] ? ["--", "true"] : []
            let outcome = try Binary.run(command + ["--ca-dir", "ca"] + tail, in: folder)
            #expect(outcome.status == 65)
            #expect(outcome.prose.contains("ca-key.pem"))
        }
    }

    @Test("an output that cannot be written ends export with 74")
    func unwritableOutput() throws {
        let outcome = try Binary.run(["ca", "export", "--ca-dir", "ca", "--output", "no/such/folder"], in: folder)
        #expect(outcome.status == 74)
    }
}
