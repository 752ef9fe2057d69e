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

    /// The number of the form of a load that ``missing(of:today:)`` was asked for.
    func id(of form: SpooledForm) -> PostgresUUID? { sent[form.serial]?.id }

    /// - Parameter today: days since 1970-01-01 UTC.
    mutating func missing(of loads: [SpooledLoad], today: Int64) -> Missing? {
        if sent.count > mostForms { sent = [:] }
        var missing = Missing()
        var found: Set<Int> = []
        for load in loads {
            let day = max(today, load.time.day)
            if let known = sent[load.form.serial], let last = known.day, last >= day { continue }
            missing.day = max(missing.day, day)
            guard found.insert(load.form.serial).inserted else { continue }
            let handshake = load.form.handshake.map { text in
                let key = ContentKey.handshake(text)
                missing.handshakes[key] = text
                return key
            }
            let id = sent[load.form.serial]?.id ?? ContentKey.form(load.form, handshake: handshake)
            sent[load.form.serial] = Sent(id: id, day: sent[load.form.serial]?.day)
            missing.forms.append((id, handshake, load.form))
        }
        guard !missing.forms.isEmpty else { return nil }
        missing.forms.sort { $0.id < $1.id }
        return missing
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
