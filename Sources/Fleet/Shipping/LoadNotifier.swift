import Postgres

/// Notifies followers of the store about new loads, at most once a second: a notification makes commits wait for each
/// other (PostgreSQL 15, src/backend/commands/async.c).
struct LoadNotifier {
    static let channel = "atsgate_loads"

    private var last: ContinuousClock.Instant?
    /// True if loads were shipped without a notification.
    private var hasPending = false

    /// True if the next batch should notify.
    func isDue(_ now: ContinuousClock.Instant) -> Bool { last.map { now - $0 >= pause } ?? true }

    /// Notes that a batch is committed.
    mutating func note(isNotified: Bool, now: ContinuousClock.Instant) {
        hasPending = !isNotified
        if isNotified { last = now }
    }

    /// Sends a pending notification if it is due.
    mutating func settle(on connection: PostgresConnection, now: ContinuousClock.Instant, isLast: Bool) throws {
        guard hasPending, isLast || isDue(now) else { return }
        try Self.notify(on: connection)
        note(isNotified: true, now: now)
    }

    /// Notifies in a transaction; the server sends it after the commit.
    static func notify(on connection: PostgresConnection) throws {
        _ = try connection.query("SELECT pg_catalog.pg_notify($1, '')", [.text(channel)])
    }
}

private let pause = Duration.seconds(1)
