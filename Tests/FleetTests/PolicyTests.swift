import Fleet
import Postgres
import PostgresServer
import Synchronization
import Testing

import func Processes.holds

@Suite("Policies of a shared store", .timeLimit(.minutes(10)))
struct PolicyTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("each push creates a version, numbered per name; pushing the newest content again creates none")
    func versions() throws {
        let database = try FleetDatabase()
        let policies = try SharedPolicies(on: database.connect(.maintainer))
        let first = try policies.push(Self.bytes("a"), as: "lab")
        #expect(first.isNew && first.policy.title == "store:lab@1" && first.policy.by == "test_maintainer")
        // Source: NIST, FIPS 180-4 examples: the start of SHA-256 of "abc".
        let second = try policies.push(Self.bytes("abc"), as: "lab")
        #expect(second.isNew && second.policy.version == 2 && second.policy.digest.hasPrefix("ba7816bf8f01cfea"))
        let same = try policies.push(Self.bytes("abc"), as: "lab")
        #expect(!same.isNew && same.policy == second.policy)
        #expect(try policies.push(Self.bytes("a"), as: "lab").policy.version == 3)
        #expect(try policies.push(Self.bytes("a"), as: "Other-1.2_x").policy.version == 1)
        #expect(try policies.policy(#require(PolicyReference("lab")))?.version == 3)
        #expect(try policies.policy(#require(PolicyReference("lab@2")))?.content == Self.bytes("abc"))
        #expect(try policies.policy(#require(PolicyReference("lab@4"))) == nil)
        #expect(try policies.policy(#require(PolicyReference("none"))) == nil)
    }

    @Test("eight concurrent pushers create a version each time, and none is lost")
    func atOnce() async throws {
        let database = try FleetDatabase()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let policies = try SharedPolicies(on: database.connect(.maintainer))
                    for turn in 0..<5 { _ = try policies.push(Self.bytes("\(number) \(turn)"), as: "lab") }
                }
            }
            try await group.waitForAll()
        }
        let connection = try database.connect()
        #expect(try connection.number("SELECT count(DISTINCT content) FROM policy") == 40)
        #expect(try connection.number("SELECT max(version) FROM policy") == 40)
    }

    @Test("a version cannot be changed or deleted, not even by a maintainer")
    func frozen() throws {
        let connection = try FleetDatabase().connect(.maintainer)
        _ = try SharedPolicies(on: connection).push(Self.bytes("a"), as: "lab")
        for sql in ["UPDATE policy SET content = 'b'", "UPDATE policy SET version = 2", "DELETE FROM policy"] {
            #expect(try connection.refusal(of: sql) == "23001", "\(sql)")
        }
    }

    @Test("gates and readers can read policies but not push them, and a viewer does not see them")
    func rights() throws {
        let database = try FleetDatabase()
        _ = try SharedPolicies(on: database.connect(.maintainer)).push(Self.bytes("a"), as: "lab")
        let reference = try #require(PolicyReference("lab"))
        for login in [FleetDatabase.Login.writer, .reader] {
            let policies = try SharedPolicies(on: database.connect(login))
            #expect(try policies.policy(reference)?.version == 1)
            #expect { try policies.push(Self.bytes("b"), as: "lab") } throws: { error in
                if case PostgresError.refused(SQLState.insufficientPrivilege, _) = error { true } else { false }
            }
        }
        let writes = [
            "INSERT INTO policy (name, version, content) VALUES ('lab', 2, 'b')", "UPDATE policy SET content = 'b'",
            "DELETE FROM policy", "TRUNCATE policy", "ALTER TABLE policy DISABLE TRIGGER kept",
        ]
        for login in [FleetDatabase.Login.writer, .reader, .viewer] {
            let connection = try database.connect(login)
            for sql in writes {
                #expect(try connection.refusal(of: sql) == SQLState.insufficientPrivilege, "\(login) \(sql)")
            }
        }
        for login in [FleetDatabase.Login.viewer, .withoutRole] {
            let refusal = try database.connect(login).refusal(of: "SELECT name FROM atsgate.policy")
            #expect(refusal == SQLState.insufficientPrivilege)
        }
    }

    @Test("names and sizes are limited, in the program and in the server")
    func bounds() throws {
        let long = String(repeating: "x", count: 64)
        let wrong = ["", "-a", ".a", "a/b", "a b", "a@", "a@0", "a@-1", "a@+1", "a@01", "a@1@2", "a@x", "ä", long]
        for text in wrong { #expect(PolicyReference(text) == nil, "\(text)") }
        #expect(PolicyReference("A.b_c-9@12")?.description == "A.b_c-9@12")
        #expect(PolicyReference(String(long.dropLast()))?.version == nil)
        let policies = try SharedPolicies(on: FleetDatabase().connect(.maintainer))
        let limit = 16 << 20
        #expect(try policies.push([UInt8](repeating: 32, count: limit), as: "large").policy.content.count == limit)
        for (content, name) in [([UInt8](repeating: 32, count: limit + 1), "large"), ([1], "a/b"), ([1], long)] {
            #expect { try policies.push(content, as: name) } throws: { error in
                if case PostgresError.refused(SQLState.checkViolation, _) = error { true } else { false }
            }
        }
    }

    @Test("the list has the newest versions and older ones in force, with the number of gates")
    func list() throws {
        let database = try FleetDatabase()
        let policies = try SharedPolicies(on: database.connect(.maintainer))
        for text in ["a", "b", "c"] { _ = try policies.push(Self.bytes(text), as: "lab") }
        _ = try policies.push(Self.bytes("a"), as: "other")
        try database.connect().run(
            """
            INSERT INTO gate (spool, host, version, policy, seen) VALUES
                (gen_random_uuid(), 'a', '1', 'store:lab@3', now()), (gen_random_uuid(), 'b', '1', 'store:lab@3', now()),
                (gen_random_uuid(), 'c', '1', 'store:lab@2', now()), (gen_random_uuid(), 'd', '1', 'lab@1', now()),
                (gen_random_uuid(), 'e', '1', 'store:lab@1', now() - interval '1 hour');
            """)
        func lines(_ list: [PolicyListing]) -> [String] {
            list.map { "\($0.name)@\($0.version) \($0.gates.map { "\($0)" } ?? "-")" }
        }
        #expect(try lines(policies.list(nil)) == ["lab@2 1", "lab@3 2", "other@1 0"])
        #expect(try lines(policies.list("lab")) == ["lab@1 0", "lab@2 1", "lab@3 2"])
        #expect(try policies.list("none").isEmpty)
        let asWriter = try SharedPolicies(on: database.connect(.writer))
        #expect(try lines(asWriter.list(nil)) == ["lab@3 -", "other@1 -"])
    }

    // MARK: - Followers

    /// The notices and policies that a follower reported.
    private final class FollowerEvents: Sendable {
        let titles = Mutex<[String]>([])
        let notices = Mutex<[StoreNotice]>([])
    }

    private static func follow(_ policy: SharedPolicy, at address: PostgresAddress) -> (PolicyFollower, FollowerEvents)
    {
        let heard = FollowerEvents()
        let follower = PolicyFollower(
            of: policy, at: address, timeout: .seconds(60),
            onNotice: { words in heard.notices.withLock { $0.append(words) } },
            onNews: { policy in heard.titles.withLock { $0.append(policy.title) } })
        follower.begin()
        return (follower, heard)
    }

    @Test("a follower gets each version through the server's notification, or else by polling")
    func follower() throws {
        let rig = try ShippingRig()
        let maintainer = try PostgresConnection(rig.login(in: .maintainer), as: "tests", timeout: .seconds(30))
        let policies = try SharedPolicies(on: maintainer)
        let first = try policies.push(Self.bytes("a"), as: "lab").policy
        let (follower, heard) = try Self.follow(first, at: rig.writer())
        _ = try policies.push(Self.bytes("b"), as: "lab")
        #expect(holds(within: 60) { heard.titles.withLock { $0 } == ["store:lab@2"] })
        _ = try policies.push(Self.bytes("c"), as: "other")
        try rig.run("ALTER TABLE atsgate.policy DISABLE TRIGGER told")
        _ = try policies.push(Self.bytes("d"), as: "lab")
        #expect(holds(within: 60) { heard.titles.withLock { $0 } == ["store:lab@2", "store:lab@3"] })
        follower.stop()
        #expect(heard.notices.withLock { $0.isEmpty })
    }

    @Test("a follower follows a server that was restored, and then another version of the same number")
    func setBack() throws {
        let rig = try ShippingRig()
        let maintainer = try PostgresConnection(rig.login(in: .maintainer), as: "tests", timeout: .seconds(30))
        let policies = try SharedPolicies(on: maintainer)
        _ = try policies.push(Self.bytes("a"), as: "lab")
        let second = try policies.push(Self.bytes("b"), as: "lab").policy
        let (follower, heard) = try Self.follow(second, at: rig.writer())
        try rig.run(
            """
            ALTER TABLE atsgate.policy DISABLE TRIGGER kept;
            DELETE FROM atsgate.policy WHERE version = 2;
            ALTER TABLE atsgate.policy ENABLE TRIGGER kept
            """)
        #expect(holds(within: 60) { heard.titles.withLock { $0 } == ["store:lab@1"] })
        _ = try policies.push(Self.bytes("c"), as: "lab")
        #expect(holds(within: 60) { heard.titles.withLock { $0 } == ["store:lab@1", "store:lab@2"] })
        follower.stop()
    }

    @Test("a server outage is reported once, and the next push after it is followed")
    func away() throws {
        let server = try PostgresServer()
        let rig = try ShippingRig(on: server)
        let pushing = try rig.login(in: .maintainer)
        func push(_ text: String) throws -> SharedPolicy {
            let connection = try PostgresConnection(pushing, as: "tests", timeout: .seconds(30))
            return try SharedPolicies(on: connection).push(Self.bytes(text), as: "lab").policy
        }
        let (follower, heard) = try Self.follow(push("a"), at: rig.writer())
        _ = try push("b")
        #expect(holds(within: 60) { heard.titles.withLock { $0.count } == 1 })
        server.stop(.immediate)
        #expect(holds(within: 60) { heard.notices.withLock { $0.count } == 1 })
        try server.start()
        _ = try push("c")
        #expect(holds(within: 60) { heard.titles.withLock { $0 } == ["store:lab@2", "store:lab@3"] })
        let notices = heard.notices.withLock { $0 }
        #expect(
            notices.count == 2
                && notices[0].trouble?.hasPrefix(
                    "the policy in force stays: cannot read policy lab from the shared store") == true
        )
        #expect(notices.last == .recovery("reconnected to the shared store for policy lab"))
        follower.stop()
    }

    @Test("false notifications from a stolen login only make a follower look")
    func falseNews() throws {
        let rig = try ShippingRig()
        let maintainer = try PostgresConnection(rig.login(in: .maintainer), as: "tests", timeout: .seconds(30))
        let policies = try SharedPolicies(on: maintainer)
        let address = try rig.writer()
        let (follower, heard) = try Self.follow(policies.push(Self.bytes("a"), as: "lab").policy, at: address)
        let thief = try PostgresConnection(address, as: "tests", timeout: .seconds(30))
        for _ in 0..<200 { try thief.run("NOTIFY atsgate_policies, 'lab'; NOTIFY atsgate_policies, 'x'") }
        _ = try policies.push(Self.bytes("b"), as: "lab")
        #expect(holds(within: 60) { heard.titles.withLock { $0 } == ["store:lab@2"] })
        follower.stop()
        #expect(heard.notices.withLock { $0.isEmpty })
    }
}
