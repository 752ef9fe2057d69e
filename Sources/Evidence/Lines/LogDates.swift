/// The dates at the beginning of log lines. Each function returns the place after the date, or nil.
enum LogDates {
    /// `2026-10-07 15:30:54.722193+0200`, `2026-10-02T16:15:07.210223`, `2015-11-20 08:36:04.263`.
    static func iso(_ text: LogText, _ start: Int) -> Int? {
        guard text[start].isDigit, digits(text, start, 4), text[start + 4] == hyphen, digits(text, start + 5, 2),
            text[start + 7] == hyphen, digits(text, start + 8, 2),
            text[start + 10] == UInt8(ascii: " ") || text[start + 10] == UInt8(ascii: "T")
        else { return nil }
        return time(text, start + 11)
    }

    /// `15:30:54.722193+0200`, with a fraction and a zone or without.
    static func time(_ text: LogText, _ start: Int) -> Int? {
        guard digits(text, start, 2), text[start + 2] == colon, digits(text, start + 3, 2), text[start + 5] == colon,
            digits(text, start + 6, 2)
        else { return nil }
        var place = start + 8
        if text[place] == UInt8(ascii: ".") || text[place] == UInt8(ascii: ",") {
            let end = text.end(from: place + 1, limit: 9) { $0.isDigit }
            if end > place + 1 { place = end }
        }
        return zone(text, place)
    }

    /// `+0200`, `+02:00`, `Z`, or nothing. Copies from Console.app may have a blank before it.
    private static func zone(_ text: LogText, _ start: Int) -> Int {
        if text[start] == UInt8(ascii: "Z") { return start + 1 }
        if text[start] == UInt8(ascii: " "), text[start + 1] == UInt8(ascii: "+") || text[start + 1] == hyphen,
            digits(text, start + 2, 4), text[start + 6].isBlank
        {
            return start + 6
        }
        guard text[start] == UInt8(ascii: "+") || text[start] == hyphen, digits(text, start + 1, 2) else {
            return start
        }
        let minutes = text[start + 3] == colon ? start + 4 : start + 3
        return digits(text, minutes, 2) ? minutes + 2 : start
    }

    /// `Jul  1 21:40:07`, as syslog writes it (RFC 3164 section 4.1.2).
    static func month(_ text: LogText, _ start: Int) -> Int? {
        guard text[start].isLetter, text[start + 3] == UInt8(ascii: " "),
            months.contains(where: { text.has($0, at: start) })
        else { return nil }
        let day = text.skipBlanks(start + 4)
        let end = text.end(from: day, limit: 2) { $0.isDigit }
        guard end > day, text[end].isBlank else { return nil }
        return time(text, text.skipBlanks(end))
    }

    /// `4/12/16 9:52:51.191 PM`, as Console.app wrote it before macOS 10.12.
    static func slashed(_ text: LogText, _ start: Int) -> Int? {
        guard text[start].isDigit else { return nil }
        var place = start
        for part in 0..<3 {
            let end = text.end(from: place, limit: 4) { $0.isDigit }
            guard end > place else { return nil }
            place = end
            guard part < 2 else { break }
            guard text[place] == UInt8(ascii: "/") || text[place] == UInt8(ascii: ".") else { return nil }
            place += 1
        }
        if text[place] == UInt8(ascii: ",") { place += 1 }
        guard text[place] == UInt8(ascii: " ") else { return nil }
        place += 1
        // The hour may have one digit.
        guard var end = digits(text, place, 2) ? time(text, place) : oneDigitTime(text, place) else { return nil }
        if text.has(" AM", at: end) || text.has(" PM", at: end) { end += 3 }
        return end
    }

    private static func oneDigitTime(_ text: LogText, _ start: Int) -> Int? {
        guard text[start].isDigit, text[start + 1] == colon, digits(text, start + 2, 2), text[start + 4] == colon,
            digits(text, start + 5, 2)
        else { return nil }
        guard text[start + 7] == UInt8(ascii: ".") || text[start + 7] == UInt8(ascii: ",") else { return start + 7 }
        return text.end(from: start + 8, limit: 9) { $0.isDigit }
    }

    private static func digits(_ text: LogText, _ start: Int, _ count: Int) -> Bool {
        (start..<start + count).allSatisfy { text[$0].isDigit }
    }

    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

private let colon = UInt8(ascii: ":")
private let hyphen = UInt8(ascii: "-")
