import Foundation

/// Dates in logs.
enum LogTime {
    /// `2026-10-07 15:30:54.722193+0200` in milliseconds since 1970-01-01 UTC; a date without a zone counts as UTC.
    ///
    /// - Returns: nil for a date without a year, and for an invalid one.
    static func milliseconds(_ text: String) -> Int64? {
        let form = /(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:([+-])(\d\d):?(\d\d)|Z)?/
        guard let fields = text.prefixMatch(of: form.asciiOnlyDigits())?.output else { return nil }
        var date = DateComponents()
        date.calendar = Calendar(identifier: .gregorian)
        date.timeZone = .gmt
        (date.year, date.month, date.day) = (Int(fields.1), Int(fields.2), Int(fields.3))
        (date.hour, date.minute, date.second) = (Int(fields.4), Int(fields.5), Int(fields.6))
        guard date.isValidDate, let moment = date.date else { return nil }
        var seconds = Int64(moment.timeIntervalSince1970)
        if let sign = fields.8, let hours = fields.9.flatMap({ Int64($0) }),
            let minutes = fields.10.flatMap({ Int64($0) })
        {
            seconds -= (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
        }
        let fraction = fields.7.flatMap { Int64(($0 + "00").prefix(3)) } ?? 0
        return seconds * 1000 + fraction
    }
}
