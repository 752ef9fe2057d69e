import Postgres
import Reporting

/// The forms that the server was sent by this connection, and for which days: each is sent once a day, so that retention
/// knows which ones are still counted on. Bounded: what was forgotten is sent again.
struct SentForms {
    private struct Sent {
        let id: PostgresUUID
        /// The last day that the server was told of, counted from 1970-01-01 UTC; nil for none.
        var day: Int64?
    }

    private var sent: [Int: Sent] = [:]

    /// What is to be sent before these loads may come.
    struct Missing {
        var forms: [(id: PostgresUUID, handshake: PostgresUUID?, form: SpooledForm)] = []
        var handshakes: [PostgresUUID: String] = [:]
        /// The last of the loads' days, counted from 1970-01-01 UTC.
        var day: Int64 = 0
    }

    /// The numbers of the forms of a batch that ``missing(of:today:)`` was asked for; nil for those that no load has.
    func ids(of batch: Spool.Batch) -> [PostgresUUID?] { batch.forms.map { sent[$0.serial]?.id } }

    /// - Parameter today: days since 1970-01-01 UTC.
    mutating func missing(of batch: Spool.Batch, today: Int64) -> Missing? {
        if sent.count > mostForms { sent = [:] }
        var missing = Missing()
        for (form, latest) in zip(batch.forms, Self.latest(of: batch)) {
            guard let latest else { continue }
            let day = max(today, latest.day)
            let known = sent[form.serial]
            if let known, let last = known.day, last >= day { continue }
            missing.day = max(missing.day, day)
            let handshake = form.handshake.map { text in
                let key = ContentKey.handshake(text)
                missing.handshakes[key] = text
                return key
            }
            let id = known?.id ?? ContentKey.form(form, handshake: handshake)
            sent[form.serial] = Sent(id: id, day: known?.day)
            missing.forms.append((id, handshake, form))
        }
        guard !missing.forms.isEmpty else { return nil }
        missing.forms.sort { $0.id < $1.id }
        return missing
    }

    /// When the last load of each form began; nil for those that no load has.
    private static func latest(of batch: Spool.Batch) -> [Int64?] {
        var times = [Int64?](repeating: nil, count: batch.forms.count)
        for load in batch.loads { times[load.form] = max(times[load.form] ?? .min, load.time) }
        return times
    }

    /// The server has them.
    mutating func note(_ missing: Missing) {
        for (_, _, form) in missing.forms { sent[form.serial]?.day = missing.day }
    }
}

extension Int64 {
    /// Of milliseconds since 1970-01-01 UTC: the day, counted from it.
    var day: Int64 { floored(by: millisecondsOfADay) }
}

private let millisecondsOfADay: Int64 = 86_400_000
private let mostForms = 20_000
