import Fleet
import Foundation
import Postgres
import PostgresServer
import Testing

/// Dictionaries pushed to a shared store, and gates that enforce them.
@Suite("Policies of shared stores", .timeLimit(.minutes(10)))
struct PolicyCommandTests {
    private static let strict = #"{"NSAllowsArbitraryLoads": false}"#
    private static let permissive = #"{"NSAllowsArbitraryLoads": true}"#

    let folder: Folder

    init() throws { folder = try Folder() }

    /// A new store on a server, with logins for its roles.
    private struct Store {
        let server: PostgresServer
        let database: String

        init(on server: PostgresServer) throws {
            self.server = server
            database = try server.makeStoreDatabase()
        }

        /// The store's address for a new login with that role.
        func url(of role: FleetRole) throws -> String {
            let login = "login_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let sql = "CREATE ROLE \(login) LOGIN PASSWORD '\(PostgresServer.password)' IN ROLE \(role.rawValue)"
            try server.connect().run(sql)
            return server.url(user: login, database: database)
        }

        func number(_ sql: String) throws -> Int {
            Int(try server.connect(database: database).query("SELECT (\(sql))::bigint")[0].int(0))
        }
    }

    private func policy(_ words: [String], at store: String, input: String = "") throws -> Binary.Outcome {
        try Binary.run(["policy"] + words + ["--store", store], in: folder, input: input)
    }

    /// A running gate with that dictionary.
    private func start(
        _ policy: String, at store: String, as name: String, in place: Folder? = nil
    ) throws -> Launch {
        let place = place ?? folder
        let gate = try Launch(
            [
                "proxy", "--listen", "127.0.0.1:0", "--port-file", name, "--web", "off", "--recording", name,
                "--ship-timeout", "100ms", "--policy", policy, "--store", store,
            ], in: place)
        try #require(gate.waits { !place.read(name).isEmpty }, "\(gate.said)")
        return gate
    }

    /// True if an http load ends with 403, as under the strict policy, or with 502, because the host does not exist.
    private func ends(with status: String, at name: String, in place: Folder? = nil) -> Bool {
        let place = place ?? folder
        let port = place.read(name).trimmingCharacters(in: .newlines)
        let load =
            "http_proxy=http://127.0.0.1:\(port) curl -s --noproxy '' -o body -w '%{http_code}' http://one.invalid/"
        let code = try? Binary.tool(["sh", "-c", "cd '\(place.url.path)' && test \"$(\(load))\" = \(status)"])
        return code == 0
    }

    @Test("push, list, diff and pull work; a dictionary with errors is refused, and pushed with --force")
    func commands() throws {
        let store = try Store(on: .shared())
        let keeper = try store.url(of: .maintainer)
        try folder.write(Self.strict, to: "strict.json")
        try folder.write(Self.permissive, to: "permissive.json")
        let pushed = try policy(["push", "lab", "strict.json"], at: keeper)
        #expect(
            pushed.status == 0 && pushed.output.wholeMatch(of: /store:lab@1 [0-9a-f]{64}\n/) != nil, "\(pushed.prose)")
        let same = try policy(["push", "lab", "strict.json"], at: keeper)
        #expect(same.output == pushed.output && same.prose.contains("nothing was pushed: store:lab@1 is the same"))
        let off = try policy(["push", "lab", "-"], at: keeper, input: Self.permissive)
        #expect(off.status == 1 && off.prose.contains("- turns ATS off; --force pushes it anyway"), "\(off.prose)")
        let typed = try policy(["push", "lab", "-", "--force"], at: keeper, input: Self.permissive)
        #expect(typed.status == 0 && typed.output.hasPrefix("store:lab@2 "))

        let reader = try store.url(of: .reader)
        let list = try policy(["list"], at: reader)
        #expect(
            list.status == 0 && list.output.hasPrefix("POLICY") && list.output.contains("\nlab@2 "), "\(list.prose)")
        #expect(!list.output.contains("lab@1 "))
        #expect(try policy(["list", "lab"], at: reader).output.contains("\nlab@1 "))
        let pulled = try policy(["pull", "lab@1", "--output", "copy.json"], at: reader)
        #expect(pulled.status == 0 && folder.read("copy.json") == Self.strict, "\(pulled.prose)")
        #expect(pulled.prose.contains(/store:lab@1, pushed .+ UTC by .+, SHA-256 [0-9a-f]{64}\n/), "\(pulled.prose)")
        #expect(try policy(["pull", "lab"], at: reader).output == Self.permissive)
        let diff = try policy(["diff", "lab@1", "lab@2"], at: reader)
        #expect(diff.output.contains("http any other host\n  - blocked: ") && diff.output.contains("+++ store:lab@2\n"))
        #expect(try policy(["diff", "lab"], at: reader).output == diff.output)
        let first = try policy(["diff", "lab@1"], at: reader)
        #expect(first.status == 65 && first.prose.contains("only one version"), "\(first.prose)")
        #expect(try policy(["diff", "lab", "strict.json"], at: reader).output.contains("+++ strict.json\n"))
        let none = try policy(["diff", "lab", "permissive.json"], at: reader)
        #expect(none.status == 0 && none.output.isEmpty)

        try folder.write(#"{"NSExceptionDomains": {"*.a.test": {}}}"#, to: "wrong.json")
        let refused = try policy(["push", "lab", "wrong.json"], at: keeper)
        #expect(refused.status == 1 && refused.prose.contains("1 error") && refused.prose.contains("--force pushes it"))
        let forced = try policy(["push", "lab", "wrong.json", "--force"], at: keeper)
        #expect(forced.status == 0 && forced.output.hasPrefix("store:lab@3 "), "\(forced.prose)")
    }

    @Test("missing policies, missing rights and invalid names have their exit codes")
    func failures() throws {
        let store = try Store(on: .shared())
        let keeper = try store.url(of: .maintainer)
        try folder.write(Self.strict, to: "strict.json")
        try folder.write("no dictionary", to: "text")
        for role in [FleetRole.writer, .reader] {
            let refused = try policy(["push", "lab", "strict.json"], at: store.url(of: role))
            #expect(
                refused.status == 69 && refused.prose.contains("can grant it atsgate_maintainer"), "\(refused.prose)")
        }
        #expect(try policy(["push", "lab", "text"], at: keeper).status == 65)
        #expect(try policy(["push", "lab", "missing", "--force"], at: keeper).status == 65)
        #expect(try policy(["push", "lab@1", "strict.json"], at: keeper).status == 64)
        #expect(try policy(["push", "a/b", "strict.json"], at: keeper).status == 64)
        #expect(try policy(["pull", "lab"], at: keeper).status == 65)
        #expect(try store.number("SELECT count(*) FROM atsgate.policy") == 0)
        let forced = try policy(["push", "lab", "text", "--force"], at: keeper)
        #expect(forced.status == 0 && forced.prose.contains("warning: text:1: "), "\(forced.prose)")
        #expect(try policy(["diff", "lab", "strict.json"], at: keeper).status == 65)
        #expect(try policy(["pull", "lab"], at: keeper).output == "no dictionary")
        let run = ["run", "--policy", "store:lab"]
        let file = try Binary.run(run + ["--", "true"], in: folder)
        #expect(file.status == 64 && file.prose.contains("name it with --store postgres://"))
        let name = try Binary.run(["run", "--policy", "store:a/b", "--store", keeper, "--", "true"], in: folder)
        #expect(name.status == 64 && name.prose.contains("neither store:NAME nor"))
        let broken = try Binary.run(run + ["--store", keeper, "--", "true"], in: folder)
        #expect(broken.status == 65 && broken.prose.contains("this machine has no copy of store:lab"))
        let none = try Binary.run(["run", "--policy", "store:none", "--store", keeper, "--", "true"], in: folder)
        #expect(none.status == 65 && none.prose.contains("has no policy none"))
    }

    @Test("two gates enforce pushed versions while they run, records name the version, and replay finds it again")
    func gates() throws {
        let store = try Store(on: .shared())
        let keeper = try store.url(of: .maintainer)
        let gateLogin = try store.url(of: .writer)
        #expect(try policy(["push", "lab", "-"], at: keeper, input: Self.strict).status == 0)
        // Each gate has its own folder, like a separate machine.
        let places = [folder, try Folder(), try Folder()]
        let names = ["one", "two", "pinned"]
        let gates = try zip(names, places).map { name, place in
            try start(name == "pinned" ? "store:lab@1" : "store:lab", at: gateLogin, as: name, in: place)
        }
        #expect(gates[0].said.contains("policy     store:lab@1, as "), "\(gates[0].said)")
        for (name, place) in zip(names, places) { #expect(ends(with: "403", at: name, in: place)) }
        func expect(_ words: String, status: String) {
            for number in 0..<2 {
                let gate = gates[number]
                #expect(gate.waits { gate.said.contains(words) }, "\(gate.said)")
                #expect(ends(with: status, at: names[number], in: places[number]))
            }
        }
        #expect(try policy(["push", "lab", "-", "--force"], at: keeper, input: Self.permissive).status == 0)
        expect("policy reloaded policy=store:lab@2", status: "502")
        #expect(ends(with: "403", at: "pinned", in: places[2]))
        let recorded = "SELECT count(DISTINCT recording) FROM atsgate.shared WHERE text LIKE '%store:lab@2%'"
        #expect(gates[0].waits { (try? store.number(recorded)) == 2 })

        // A dictionary that no gate can read is reported by each, and the old one stays.
        #expect(try policy(["push", "lab", "-", "--force"], at: keeper, input: "no dictionary").status == 0)
        expect("the old policy stays in force: store:lab@3", status: "502")
        let wrong = #"{"NSAllowsArbitraryLoads": true, "NSTypo": true}"#
        #expect(try policy(["push", "lab", "-", "--force"], at: keeper, input: wrong).status == 0)
        expect("2 problems in store:lab@4 (1 error, 1 warning)\n", status: "502")
        func isListed(_ line: Regex<Substring>) -> Bool {
            (try? policy(["list"], at: keeper).output.contains(line)) == true
        }
        #expect(
            gates[0].waits {
                isListed(#/(?m)^lab@4 .+ 2 +[0-9a-f]{12}$/#) && isListed(#/(?m)^lab@1 .+ 1 +[0-9a-f]{12}$/#)
            })
        for gate in gates { #expect(gate.stop().status == 0) }
        let reader = try store.url(of: .reader)
        let replay = ["replay", "--recording", "pinned", "--store", reader]
        let again = try Binary.run(replay + ["--os", "ios17"], in: folder)
        #expect(again.status == 0, "\(again.prose)")
        let other = try Binary.run(replay + ["--policy", "store:lab@2", "--json"], in: folder)
        #expect(other.status == 0 && other.output.contains("\"policy\":\"store:lab@2\""), "\(other.prose)")
    }

    @Test("gates keep their policy if the server fails; a start without it uses the saved copy, or ends with 69")
    func away() throws {
        let server = try PostgresServer()
        let store = try Store(on: server)
        let (keeper, gateLogin) = (try store.url(of: .maintainer), try store.url(of: .writer))
        #expect(try policy(["push", "lab", "-"], at: keeper, input: Self.strict).status == 0)
        let first = try start("store:lab", at: gateLogin, as: "first")
        #expect(try policy(["push", "lab", "-", "--force"], at: keeper, input: Self.permissive).status == 0)
        #expect(first.waits { ends(with: "502", at: "first") })
        server.stop(.immediate)
        #expect(first.waits { first.said.contains("the policy in force stays: ") }, "\(first.said)")
        #expect(ends(with: "502", at: "first"))

        let second = try start("store:lab", at: gateLogin, as: "second")
        #expect(
            second.said.contains(/warning: .+; store:lab@2, pushed .+ UTC and fetched .+ UTC, is in force instead\n/))
        #expect(ends(with: "502", at: "second"))
        let spools = folder.url.appending(path: "data/atsgate/spool")
        let kept = try #require(
            FileManager.default.contentsOfDirectory(atPath: spools.path).first { $0.hasSuffix(".lab.policy") })
        let attributes = try FileManager.default.attributesOfItem(atPath: spools.appending(path: kept).path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let other = try Folder()
        let run = ["run", "--policy", "store:lab", "--store", gateLogin, "--", "true"]
        let nothing = try Binary.run(run, in: other)
        #expect(nothing.status == 69 && nothing.prose.contains("this machine has no copy of store:lab"))
        let pinned = try Binary.run(run.map { $0 == "store:lab" ? "store:lab@1" : $0 }, in: folder)
        #expect(pinned.status == 69, "\(pinned.prose)")

        try server.start()
        #expect(try policy(["push", "lab", "-"], at: keeper, input: Self.strict).status == 0)
        for (gate, name) in [(first, "first"), (second, "second")] {
            #expect(gate.waits { ends(with: "403", at: name) }, "\(gate.said)")
            #expect(gate.said.contains("the policy in force stays"))
            #expect(gate.stop().status == 0)
        }
        #expect(try Binary.run(["setup", "uninstall", "--yes", "--recordings"], in: folder).status == 0)
        #expect(!FileManager.default.fileExists(atPath: spools.path))
    }
}
