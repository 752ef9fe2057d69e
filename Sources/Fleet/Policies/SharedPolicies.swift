public import Postgres
public import Reporting

/// The dictionaries of a shared store.
public struct SharedPolicies {
    private let connection: PostgresConnection

    /// - Throws: ``SchemaError`` for a store that this program does not understand; `PostgresError`.
    public init(on connection: PostgresConnection) throws {
        if let complaint = try SchemaState(of: connection).complaint { throw SchemaError(complaint) }
        self.connection = connection
    }

    /// Connects, fetches one dictionary and disconnects.
    ///
    /// - Parameter timeout: the time limit of all that.
    /// - Returns: nil if the store has no such name or version.
    /// - Throws: `StoreError`.
    public static func fetch(
        _ reference: PolicyReference, from address: PostgresAddress, timeout: Duration
    ) throws(StoreError) -> SharedPolicy? {
        do {
            let connection = try PostgresConnection(
                address, as: "atsgate", timeout: timeout, until: .now + timeout)
            defer { connection.close() }
            return try SharedPolicies(on: connection).policy(reference)
        } catch let error as SchemaError {
            throw .notAllowed(path: address.shown, cause: error.description)
        } catch {
            throw SharedSource.explained(error, address.shown)
        }
    }

    /// - Returns: nil if the store has no such name or version.
    public func policy(_ reference: PolicyReference) throws(PostgresError) -> SharedPolicy? {
        let rows = try connection.query(
            """
            SELECT \(Self.columns) FROM atsgate.policy p WHERE p.name = $1 AND ($2::int8 IS NULL OR p.version = $2)
            ORDER BY p.version DESC LIMIT 1
            """, [.text(reference.name), reference.version.map { .int8($0) } ?? .null])
        guard let row = rows.first else { return nil }
        return try policy(row, content: content(of: row))
    }

    /// Adds a version, unless the newest one has the same content. Concurrent pushes get successive numbers. Gates are
    /// notified after the commit.
    ///
    /// - Returns: the newest version, and whether it is new.
    /// - Throws: `PostgresError`, `42501` if the login is not a maintainer, `23514` if the content is too large.
    public func push(_ content: [UInt8], as name: String) throws -> (policy: SharedPolicy, isNew: Bool) {
        try connection.transaction {
            // Does not block readers; gates have no right to take it.
            try connection.run("LOCK TABLE atsgate.policy IN SHARE ROW EXCLUSIVE MODE")
            if let newest = PolicyReference(name), let last = try policy(newest), last.content == content {
                return (last, false)
            }
            let made = try connection.query(
                """
                INSERT INTO atsgate.policy AS p (name, version, content)
                SELECT $1, coalesce(max(version), 0) + 1, $2 FROM atsgate.policy WHERE name = $1
                RETURNING \(Self.columns)
                """, [.text(name), .bytes(content)])
            guard let row = made.first else { throw PostgresError.broken("the server made no version") }
            return (try policy(row, content: content), true)
        }
    }

    /// The newest version of each name, and older ones that are in force on a gate; for one name, all versions.
    ///
    /// - Parameter name: nil for all names.
    public func list(_ name: String?) throws(PostgresError) -> [PolicyListing] {
        let rows = try connection.query(
            """
            SELECT name, version, digest, pushed, by, gates FROM (
                SELECT p.name, p.version, encode(p.digest, 'hex') AS digest, p.pushed, p.by::text AS by,
                    CASE WHEN has_table_privilege('atsgate.gates', 'SELECT') THEN (
                        SELECT count(*) FROM atsgate.gate g
                        WHERE g.policy = '\(PolicyReference.scheme)' || p.name || '@' || p.version
                            AND g.seen > now() - interval '5 minutes') END AS gates,
                    p.version = max(p.version) OVER (PARTITION BY p.name) AS is_newest
                FROM atsgate.policy p) AS listed
            WHERE CASE WHEN $1::text IS NULL THEN is_newest OR gates > 0 ELSE name = $1 END ORDER BY name, version
            """, [name.map { .text($0) } ?? .null])
        var listings: [PolicyListing] = []
        for row in rows {
            listings.append(
                PolicyListing(
                    name: try row.text(0), version: try row.int(1), digest: try row.text(2),
                    pushed: try row.milliseconds(3), by: try row.text(4), gates: try row.orNil(5, row.int)))
        }
        return listings
    }

    /// Identifies the newest version by its number and digest, because a server may have been restored to an older
    /// state. nil if there is no such name.
    func newest(_ name: String) throws(PostgresError) -> String? {
        let rows = try connection.query(
            """
            SELECT version || ' ' || encode(digest, 'hex') FROM atsgate.policy WHERE name = $1
            ORDER BY version DESC LIMIT 1
            """, [.text(name)])
        guard let row = rows.first else { return nil }
        return try row.text(0)
    }

    private static let columns =
        "p.name, p.version, encode(p.digest, 'hex'), p.pushed, p.by::text, octet_length(p.content)"

    private func policy(_ row: PostgresRow, content: [UInt8]) throws(PostgresError) -> SharedPolicy {
        SharedPolicy(
            name: try row.text(0), version: try row.int(1), content: content, digest: try row.text(2),
            pushed: try row.milliseconds(3), by: try row.text(4))
    }

    /// Reads the content of a version in pieces, because a row has a limit; no version ever changes.
    private func content(of row: PostgresRow) throws(PostgresError) -> [UInt8] {
        let (name, version, size) = (try row.text(0), try row.int(1), try row.int(5))
        guard (0...Self.maxBytes).contains(size) else { throw .broken("the server has a policy of \(size) bytes") }
        var content: [UInt8] = []
        while content.count < size {
            let rows = try connection.query(
                "SELECT substring(content FROM $3 FOR $4) FROM atsgate.policy WHERE name = $1 AND version = $2",
                [.text(name), .int8(version), .int4(Int32(content.count) + 1), .int4(Self.pieceBytes)])
            guard let piece = try rows.first?.array(0), !piece.isEmpty, content.count + piece.count <= size else {
                throw .broken("the server has only a part of policy \(name)")
            }
            content += piece
        }
        return content
    }

    /// The limit of the table (Sources/Fleet/Schema/5-policies.sql).
    private static let maxBytes: Int64 = 16 << 20
    private static let pieceBytes: Int32 = 2 << 20
}

extension SharedPolicy {
    /// The value of ``SharedPolicies/newest(_:)`` for this version.
    var mark: String { "\(version) \(digest)" }
}

/// A version of a dictionary in a shared store.
public struct SharedPolicy: Sendable, Hashable {
    public let name: String
    public let version: Int64
    /// The file as it was pushed, in its original format.
    public let content: [UInt8]
    /// The SHA-256 of the content: 64 hexadecimal digits.
    public let digest: String
    /// In milliseconds since 1970, by the server's clock.
    public let pushed: Int64
    /// The login that pushed it.
    public let by: String

    public init(name: String, version: Int64, content: [UInt8], digest: String, pushed: Int64, by: String) {
        self.name = name
        self.version = version
        self.content = content
        self.digest = digest
        self.pushed = pushed
        self.by = by
    }

    /// Its name in records and on gates: `store:NAME@VERSION`.
    public var title: String { "\(PolicyReference.scheme)\(name)@\(version)" }
}

/// A version of a dictionary, and the number of gates that enforce it.
public struct PolicyListing: Sendable, Hashable {
    public let name: String
    public let version: Int64
    /// As in ``SharedPolicy/digest``.
    public let digest: String
    /// In milliseconds since 1970.
    public let pushed: Int64
    public let by: String
    /// The number of gates that were seen in the last five minutes and enforce it; nil if the login may not see gates.
    public let gates: Int64?
}

/// A dictionary of a shared store: the newest version of a name, or one of its versions.
public struct PolicyReference: Sendable, Hashable, CustomStringConvertible {
    public let name: String
    /// nil for the newest version.
    public let version: Int64?

    /// The prefix of such a reference in `--policy`.
    public static let scheme = "store:"

    /// - Parameter text: `NAME` or `NAME@VERSION`. A name has up to 63 ASCII letters, digits, `.`, `_` and `-`, and
    ///   begins with a letter or a digit; a version is an integer from 1.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first?.utf8, (1...63).contains(name.count), let first = name.first,
            Self.isLetterOrDigit(first),
            name.allSatisfy({ Self.isLetterOrDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) })
        else { return nil }
        self.name = String(parts[0])
        guard parts.count == 2 else {
            version = nil
            return
        }
        // "+7" and "07" would be other spellings of the same version.
        guard let number = Int64(parts[1]), number > 0, "\(number)" == parts[1] else { return nil }
        version = number
    }

    /// `NAME` or `NAME@VERSION`; valid as a file name.
    public var description: String { name + (version.map { "@\($0)" } ?? "") }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
