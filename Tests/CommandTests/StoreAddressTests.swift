import Foundation
import Testing

/// Text that looks like a server's address is never used as a file name, and its password is not shown.
@Suite("Addresses of stores", .timeLimit(.minutes(5)))
struct StoreAddressTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Ways in which other programs name a server.
    static let foreignAddresses = [
        "host=db user=ci password=geheim dbname=ats", "dbname = ats password = geheim", "service=geheim",
        "pgsql://ci:geheim@db.test/ats", "postgres:/ci:geheim@db.test/ats", "ci:geheim@db.test/ats",
        "jdbc:postgresql://db.test/ats?user=ci&password=geheim", "Server=db;Uid=ci;Pwd=geheim",
        "db.test:5432:ats:ci:geheim", "PGPASS=geheim", "postgres%3A//ci:geheim@db.test/ats", "geheim@db.test/ats",
        "geheim.test:5432/ats",
    ]

    @Test("another program's notation for a server is not a file, and is not repeated", arguments: foreignAddresses)
    func foreignAddress(text: String) throws {
        try folder.write("store = \(text)\n", to: "gate.conf")
        let commands = [
            ["proxy", "--store", text], ["report", "--store", text], ["recordings", "--store", text],
            ["recordings", "import", "x.sqlite", "--store", text],
            ["recordings", "import", text, "--store", "postgres://db.test/ats"],
            ["policy", "list", "--store", text], ["doctor", "--store", text], ["store", "init", "--store", text],
            ["proxy", "--config", "gate.conf"],
        ]
        for words in commands {
            let outcome = try Binary.run(words, in: folder)
            #expect(outcome.status == 64, "\(words)")
            #expect(outcome.prose.contains("postgres://USER@HOST/DATABASE"), "\(outcome.prose)")
            #expect(!outcome.prose.contains("geheim") && !outcome.output.contains("geheim"))
        }
        for command in [["report"], ["policy", "list"]] {
            let outcome = try Binary.run(command, in: folder, environment: ["ATSGATE_STORE": text])
            #expect(outcome.status == 64 && !outcome.prose.contains("geheim"), "\(outcome.prose)")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.contains("geheim") })
    }

    @Test("a file whose name looks like an address is named by its path")
    func namedByPath() throws {
        for path in ["./host=db", folder.path("password=x"), "run=5.sqlite", "./ci@monday", "ci@night.sqlite"] {
            let words = ["run", "--allow-no-loads", "--store", path, "--", "true"]
            #expect(try Binary.run(words, in: folder).status == 0)
            #expect(try Binary.run(["recordings", "--store", path], in: folder).status == 0)
        }
    }
}
