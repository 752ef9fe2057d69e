import Fleet
import Postgres
import PostgresServer

/// A shared store for one test, in a separate database on the server that all tests share, with a login for each role.
struct FleetDatabase {
    let name: String
    private let server: PostgresServer

    /// - Parameter isMade: True if the schema must exist.
    init(isMade: Bool = true) throws {
        server = try PostgresServer.shared()
        guard isMade else {
            name = try server.makeDatabase()
            return
        }
        name = try server.makeDatabase(beginningAs: "a shared store with logins") { connection in
            _ = try SharedSchema.make(on: connection)
            try connection.run(Self.logins)
        }
    }

    /// Connects through the socket, where the server requires no password.
    func connect(_ login: Login = .administrator, timeout: Duration = .seconds(60)) throws -> PostgresConnection {
        try server.connectBySocket(user: login.rawValue, database: name, timeout: timeout)
    }

    enum Login: String {
        case administrator = "postgres"
        case writer = "test_writer"
        case otherWriter = "test_other_writer"
        case reader = "test_reader"
        case viewer = "test_viewer"
        case maintainer = "test_maintainer"
        /// May create roles and schemas, but is not a superuser.
        case creator = "test_creator"
        case withoutRole = "test_nobody"
    }

    /// Logins belong to the server, and tests create them concurrently.
    private static let logins = """
        DO $$
        DECLARE
            one record;
        BEGIN
            LOCK TABLE pg_catalog.pg_authid IN EXCLUSIVE MODE;
            FOR one IN SELECT * FROM (VALUES
                ('test_writer', 'atsgate_writer'), ('test_other_writer', 'atsgate_writer'),
                ('test_reader', 'atsgate_reader'), ('test_viewer', 'atsgate_viewer'),
                ('test_maintainer', 'atsgate_maintainer'), ('test_creator', NULL), ('test_nobody', NULL)
            ) AS one (login, role) LOOP
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = one.login) THEN
                    EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L', one.login, '\(PostgresServer.password)');
                    IF one.role IS NOT NULL THEN EXECUTE format('GRANT %I TO %I', one.role, one.login); END IF;
                END IF;
            END LOOP;
            ALTER ROLE test_creator CREATEROLE;
        END
        $$;
        """
}

extension PostgresConnection {
    /// The SQLSTATE with which a statement is refused; nil if it succeeds.
    func refusal(of sql: String) throws -> String? {
        do { try run(sql) } catch .refused(let sqlState, _) { return sqlState }
        return nil
    }

    func number(_ sql: String) throws -> Int64? {
        try query(sql).first.map { row in try row.int(0) }
    }

    func texts(_ sql: String) throws -> [String] { try query(sql).map { try $0.text(0) } }
}

/// SQLSTATEs. Source: PostgreSQL 15, appendix A.
enum SQLState {
    static let insufficientPrivilege = "42501"
    static let checkViolation = "23514"
    static let programLimitExceeded = "54000"
    static let outOfRange = "22008"
    static let notInPrerequisiteState = "55000"
}
