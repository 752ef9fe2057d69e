/// A day of the proleptic Gregorian calendar in UTC, without Foundation.
public struct CivilDate: Sendable, Hashable {
    public let year: Int64
    public let month: Int64
    public let day: Int64

    /// Counts from 1 March of year 0, so that the leap day ends a year: 146,097 days make 400 years. Source: Howard
    /// Hinnant, chrono-compatible low-level date algorithms.
    public init(daysSince1970: Int64) {
        let (era, dayOfEra) = (daysSince1970 + Self.daysFromMarchOfYear0).dividedDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// - Parameter seconds: clamped to the years 1 to 9999; the latter is the "no end" of RFC 5280 section 4.1.2.5.
    public init(secondsSince1970 seconds: Int64) {
        let bounded = min(max(seconds, Self.firstSecond), Self.lastSecond)
        self.init(daysSince1970: bounded.dividedDown(by: Day.seconds).quotient)
    }

    /// The days from 1970-01-01 to a date; the inverse of ``init(daysSince1970:)``.
    public static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedDown(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysFromMarchOfYear0
    }

    private static let daysFromMarchOfYear0: Int64 = 719_468
    /// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let firstSecond: Int64 = -62_135_596_800
    private static let lastSecond: Int64 = 253_402_300_799
}

extension CivilDate: CustomStringConvertible {
    /// `YYYY-MM-DD`.
    public var description: String {
        "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// Quotient rounded down, with a remainder that is never negative.
    public func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// A UTC day in POSIX time, which has no leap seconds. Source: IEEE Std 1003.1-2017, section 4.16.
public enum Day {
    /// Inlinable, so that it is a constant in other targets, too.
    @inlinable public static var seconds: Int64 { 86_400 }
}
