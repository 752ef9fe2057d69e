import ArgumentParser
import Foundation

/// A time as people write it: an age (`30m`, `1h`, `7d`, `2w`), or a date.
struct PointInTime: Sendable, Hashable {
    /// In milliseconds since 1970-01-01 UTC.
    let milliseconds: Int64

    /// - Throws: `ValidationError` with the expected form.
    init(argument: String) throws {
        guard let time = PointInTime(argument, now: Date()) else {
            throw ValidationError(
                "write an age, as in 30m, 1h, 7d or 2w, or a date, as in 2026-11-21 or 2026-11-21T09:00Z")
        }
        self = time
    }

    /// - Parameter zone: the zone of dates without one.
    /// - Returns: nil for any other text, and for invalid days.
    init?(_ text: String, now: Date, zone: TimeZone = .current) {
        guard let date = Self.ago(text, now) ?? Self.date(text, zone) else { return nil }
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    private static func ago(_ text: String, _ now: Date) -> Date? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), count <= most, let seconds = units[String(text.dropFirst(digits.count))]
        else { return nil }
        return now.addingTimeInterval(-Double(count * seconds))
    }

    /// A day, with or without a time and its zone, as in ISO 8601.
    private static func date(_ text: String, _ zone: TimeZone) -> Date? {
        let form = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(Z|[+-]\d\d:?\d\d)?)?/.asciiOnlyDigits()
        guard let match = text.wholeMatch(of: form)?.output else { return nil }
        var components = DateComponents()
        components.calendar = Calendar(identifier: .gregorian)
        components.timeZone = match.7.map { Self.zone(String($0)) } ?? zone
        (components.year, components.month, components.day) = (Int(match.1), Int(match.2), Int(match.3))
        (components.hour, components.minute) = (Int(match.4 ?? "0"), Int(match.5 ?? "0"))
        components.second = Int(match.6 ?? "0")
        return components.isValidDate ? components.date : nil
    }

    /// `Z`, `+02:00` or `-0700`.
    private static func zone(_ text: String) -> TimeZone? {
        guard text != "Z" else { return .gmt }
        let digits = text.dropFirst().filter(\.isNumber)
        guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)) else { return nil }
        return TimeZone(secondsFromGMT: (text.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60))
    }

    private static let units = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    private static let most = 1_000_000
}
