import Postgres

/// Tells whoever follows the store that loads have come, at most once a second: a notification makes commits wait for
/// each other (PostgreSQL 15, src/backend/commands/async.c).
struct LoadNotifier {
    static let channel = "atsgate_loads"

    private var last: ContinuousClock.Instant?
    /// Loads have come since.
    private var owes = false

    /// Whether the next batch is to tell.
    func isDue(_ now: ContinuousClock.Instant) -> Bool { last.map { now - $0 >= pause } ?? true }

    /// A batch is committed.
    mutating func note(isNotified: Bool, now: ContinuousClock.Instant) {
        owes = !isNotified
        if isNotified { last = now }
    }

    /// Tells now what was not told.
    mutating func settle(on connection: PostgresConnection, now: ContinuousClock.Instant, isLast: Bool) throws {
        guard owes, isLast || isDue(now) else { return }
        try Self.notify(on: connection)
        note(isNotified: true, now: now)
    }

    /// In a transaction: once it is committed.
    static func notify(on connection: PostgresConnection) throws {
        _ = try connection.query("SELECT pg_catalog.pg_notify($1, '')", [.text(channel)])
    }
}

private let pause = Duration.seconds(1)
