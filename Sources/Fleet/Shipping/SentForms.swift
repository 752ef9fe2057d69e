import Postgres
import Reporting

/// The forms that this connection has sent, and for which days. Each is sent once a day, so that retention knows which
/// forms are in use. Bounded: forgotten forms are sent again.
struct SentForms {
    private struct Sent {
        let id: PostgresUUID
        /// The last day for which it was sent, counted from 1970-01-01 UTC; nil if none.
        var day: Int64?
    }

    private var sent: [Int: Sent] = [:]

    /// The forms and handshakes that must be sent before a batch of loads.
    struct Missing {
        var forms: [(id: PostgresUUID, handshake: PostgresUUID?, form: SpooledForm)] = []
        var handshakes: [PostgresUUID: String] = [:]
        /// The last of the loads' days, counted from 1970-01-01 UTC.
        var day: Int64 = 0
    }

    /// The names of a batch's forms, after a call of ``missing(of:today:)``; nil for forms without loads.
    func ids(of batch: Spool.Batch) -> [PostgresUUID?] { batch.forms.map { sent[$0.serial]?.id } }

    /// Returns the forms that the batch needs and the server may lack; nil if there are none.
    ///
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

    /// The start of the last load of each form; nil for forms without loads.
    private static func latest(of batch: Spool.Batch) -> [Int64?] {
        var times = [Int64?](repeating: nil, count: batch.forms.count)
        for load in batch.loads { times[load.form] = max(times[load.form] ?? .min, load.time) }
        return times
    }

    /// Notes that the server has these forms.
    mutating func note(_ missing: Missing) {
        for (_, _, form) in missing.forms { sent[form.serial]?.day = missing.day }
    }
}

extension Int64 {
    /// The day of a time in milliseconds since 1970-01-01 UTC, counted from that date.
    var day: Int64 { floored(by: millisecondsOfADay) }
}

private let millisecondsOfADay: Int64 = 86_400_000
private let mostForms = 20_000
