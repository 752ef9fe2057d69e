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
