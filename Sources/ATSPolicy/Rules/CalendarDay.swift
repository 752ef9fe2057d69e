import Text

/// A day of the Gregorian calendar in UTC, without Foundation.
enum CalendarDay {
    /// Formats a time as `YYYY-MM-DD`.
    ///
    /// - Parameter seconds: seconds since 1970-01-01 UTC; clamped to about the years 1 to 9999.
    static func text(_ seconds: Int64) -> String {
        let day = civil(seconds)
        return "\(padded(day.year, to: 4))-\(padded(day.month, to: 2))-\(padded(day.day, to: 2))"
    }

    /// Returns the whole months between two times, and whether there is a remainder.
    static func months(from begin: Int64, to end: Int64) -> (count: Int64, rest: Bool) {
        let (first, last) = (civil(begin), civil(end))
        let months = (last.year - first.year) * 12 + last.month - first.month
        let isShort = (last.day, last.second) < (first.day, first.second)
        return (months - (isShort ? 1 : 0), (last.day, last.second) != (first.day, first.second))
    }

    /// Source: Howard Hinnant, chrono-compatible low-level date algorithms.
    private static func civil(_ seconds: Int64) -> (year: Int64, month: Int64, day: Int64, second: Int64) {
        let bounded = min(max(seconds, earliest), latest)
        let second = (bounded % Day.seconds + Day.seconds) % Day.seconds
        let shifted = (bounded - second) / Day.seconds + daysFromMarchOfYear0
        let era = shifted / daysInEra
        let day = shifted - era * daysInEra
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let civilYear = year + era * 400 + (civilMonth <= 2 ? 1 : 0)
        return (civilYear, civilMonth, dayOfMonth, second)
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static let daysFromMarchOfYear0: Int64 = 719_468
    private static let daysInEra: Int64 = 146_097
    /// 0001-01-01.
    private static let earliest: Int64 = -62_135_596_800
    /// 9999-12-31, the "no end" of RFC 5280 section 4.1.2.5.
    private static let latest: Int64 = 253_402_300_799
}
