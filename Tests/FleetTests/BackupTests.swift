import Fleet
import Foundation
import Postgres
import PostgresServer
import Reporting
import Testing

@Suite("A backup of a shared store") struct BackupTests {
    /// The schema's definition, one line for each part: owners, rights, columns, days, views, functions, triggers.
    private static let parts = """
        SELECT concat_ws(' ', 'relation', c.relname, c.relkind, c.relowner::regrole, c.relrowsecurity, c.reloptions,
            pg_get_expr(c.relpartbound, c.oid), (SELECT array_agg(r::text ORDER BY r::text) FROM unnest(c.relacl) r),
            CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) WHEN 'i' THEN pg_get_indexdef(c.oid) END)
        FROM pg_class c WHERE c.relnamespace = 'atsgate'::regnamespace AND c.relkind <> 't'
        UNION ALL SELECT concat_ws(' ', 'column', attrelid::regclass, attname, format_type(atttypid, atttypmod),
            attnotnull, attcompression, (SELECT array_agg(r::text ORDER BY r::text) FROM unnest(attacl) r))
        FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
        WHERE c.relnamespace = 'atsgate'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND attnum > 0
        UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE connamespace = 'atsgate'::regnamespace
        UNION ALL SELECT concat_ws(' ', 'function', proowner::regrole, pg_get_functiondef(oid),
            (SELECT array_agg(r::text ORDER BY r::text) FROM unnest(proacl) r))
        FROM pg_proc WHERE pronamespace = 'atsgate'::regnamespace
        UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled)
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = 'atsgate'::regnamespace AND NOT t.tgisinternal
        UNION ALL SELECT concat_ws(' ', 'policy', p) FROM pg_policies p WHERE schemaname = 'atsgate'
        UNION ALL SELECT concat_ws(' ', 'schema', nspowner::regrole, nspacl)
        FROM pg_namespace WHERE nspname = 'atsgate'
        ORDER BY 1
        """

    @Test("a maintainer's dump restores completely on a server with the roles: checks pass and gates continue")
    func dump() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        var loads = LoadSource()
        let sink = try StoreSink(path: rig.path("spool.sqlite"))
        try sink.write(loads.next(40))
        try ShippingRig.ship(rig.path("spool.sqlite"), to: address)
        let keeper = try Self.user(of: rig.login(in: .maintainer))
        try rig.server.runClient(
            "pg_dump", as: keeper,
            ["--format=custom", "--schema=atsgate", "--file=\(rig.path("dump"))", rig.database])

        let other = try PostgresServer()
        let restored = try other.makeDatabase()
        _ = try SharedSchema.makeRoles(on: other.connect())
        let login = try Self.user(of: address)
        try other.connect().run(
            "CREATE ROLE \(login) LOGIN PASSWORD '\(PostgresServer.password)' IN ROLE atsgate_writer")
        try other.runClient("pg_restore", ["--exit-on-error", "--dbname=\(restored)", rig.path("dump")])

        let connection = try other.connect(database: restored)
        let parts = try connection.texts(Self.parts)
        let original = try rig.server.connect(database: rig.database).texts(Self.parts)
        #expect(Set(parts).symmetricDifference(original).sorted() == [])
        #expect(parts.contains { $0.hasPrefix("relation load_") } && parts.contains { $0.hasPrefix("policy") })
        #expect(try FleetCheck(of: connection, counts: true).complaints.isEmpty)
        try sink.write(loads.next(2))
        try ShippingRig.ship(
            rig.path("spool.sqlite"), to: other.address(user: login, database: restored))
        #expect(try connection.number("SELECT count(*) FROM load") == 42)
        #expect(try connection.number("SELECT count(DISTINCT id) FROM load") == 42)
        #expect(try FleetCheck(of: connection, counts: true).complaints.isEmpty)
    }

    private static func user(of address: PostgresAddress) throws -> String {
        String(try #require(address.shown.split(separator: "@").first?.split(separator: "/").last))
    }
}
