import Text

/// Days in the texts of rules.
enum CalendarDay {
    /// Formats a time as `YYYY-MM-DD`.
    ///
    /// - Parameter seconds: seconds since 1970-01-01 UTC; clamped to the years 1 to 9999.
    static func text(_ seconds: Int64) -> String { CivilDate(secondsSince1970: seconds).description }

    /// Returns the whole months between two times, and whether there is a remainder.
    static func months(from begin: Int64, to end: Int64) -> (count: Int64, rest: Bool) {
        let (first, last) = (CivilDate(secondsSince1970: begin), CivilDate(secondsSince1970: end))
        let (firstSecond, lastSecond) = (second(begin), second(end))
        let months = (last.year - first.year) * 12 + last.month - first.month
        let isShort = (last.day, lastSecond) < (first.day, firstSecond)
        return (months - (isShort ? 1 : 0), (last.day, lastSecond) != (first.day, firstSecond))
    }

    private static func second(_ seconds: Int64) -> Int64 { seconds.dividedDown(by: Day.seconds).remainder }
}

/// The dates on which Apple's certificate rules begin: midnight UTC, in seconds since 1970. Source: Apple support
/// 103769; docs/law/trust.md#server-authentication.
enum CertificateDate {
    /// 2018-03-01.
    static let march2018: Int64 = 1_519_862_400
    /// 2018-10-16.
    static let october2018: Int64 = 1_539_648_000
    /// 2019-07-01.
    static let july2019: Int64 = 1_561_939_200
    /// 2020-09-01.
    static let september2020: Int64 = 1_598_918_400
    /// 2021-04-21.
    static let april2021: Int64 = 1_618_963_200
}
