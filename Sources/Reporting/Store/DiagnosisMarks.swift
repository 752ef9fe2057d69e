import Foundation
package import Records
import Text

/// The name of a device's task, as its log lines have it: `Task <UUID>.<NUMBER>`. The connection has the same number.
package struct DeviceTask: Sendable, Hashable {
    /// The 128 bits of the UUID.
    package let name: LoadID
    package let number: Int64

    package init(name: LoadID, number: Int64) {
        self.name = name
        self.number = number
    }

    /// The UUID as Apple writes it: `8-4-4-4-12` upper-case hexadecimal digits.
    var text: String {
        let digits = (name.high.hexadecimal + name.low.hexadecimal).uppercased()
        var (rest, parts) = (digits[...], [Substring]())
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    /// Reads the first task that occurs in the text of a diagnosis; nil if there is none.
    fileprivate init?(in text: [UInt8]) {
        guard let begin = text.place(of: Array("Task <".utf8), from: 0) else { return nil }
        let name = text[(begin + 6)...].prefix(36)
        let rest = text[name.endIndex...]
        guard name.count == 36, rest.starts(with: Array(">.<".utf8)) else { return nil }
        let number = String(decoding: rest.dropFirst(3).prefix(20).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        let digits = String(decoding: name.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16), let found = Int64(number), String(found) == number
        else { return nil }
        self.init(name: LoadID(high: high, low: low), number: found)
        guard name.elementsEqual(self.text.utf8) else { return nil }
    }
}

/// The parts of a diagnosis that differ between loads of one kind, the URL and the device's task. A store keeps them with
/// each load, and the text of the diagnosis has a mark for each, so that thousands of loads share the text.
///
/// The marks are noncharacters, which no text needs (Unicode Standard section 23.7); one that a server sent is replaced.
enum DiagnosisMarks {
    /// U+FDD0 to U+FDD2 in UTF-8.
    private static let url: [UInt8] = [0xEF, 0xB7, 0x90]
    private static let task: [UInt8] = [0xEF, 0xB7, 0x91]
    private static let number: [UInt8] = [0xEF, 0xB7, 0x92]

    /// The text of a record's diagnosis with marks, and the task that they replace.
    static func marked(_ record: LoadRecord) -> (text: [UInt8], task: DeviceTask?) {
        var text = Array(record.text(.diagnosis).utf8)
        for mark in [url, task, number] { text.replace(mark, by: Array("\u{FFFD}".utf8)) }
        let found = DeviceTask(in: text)
        if let found {
            text.replace(Array(found.text.utf8), by: task)
            for (begin, end) in ends {
                text.replace(begin + String(found.number).utf8 + end, by: begin + number + end)
            }
        }
        text.replace(inside(record.load.url), by: url)
        return (text, found)
    }

    /// A diagnosis that was read back, with the values of one load instead of the marks.
    static func filled(_ diagnosis: RecordedDiagnosis, url: String, task: DeviceTask?) -> RecordedDiagnosis {
        let url = Array(url.utf8)
        let task = task.map { (name: Array($0.text.utf8), number: Array(String($0.number).utf8)) }
        return diagnosis.with { text in
            guard text.utf8.contains(firstByte) else { return text }
            var bytes = Array(text.utf8)
            bytes.replace(Self.url, by: url)
            if let task {
                bytes.replace(Self.task, by: task.name)
                bytes.replace(number, by: task.number)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The inside of a JSON string.
    private static func inside(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.unquoted(text)
        return writer.bytes
    }

    /// The texts around the number of the task or its connection (docs/console-lines.md).
    private static let ends: [(begin: [UInt8], end: [UInt8])] = [
        (task + Array(">.<".utf8), Array(">".utf8)), (Array("[".utf8), Array(":0x".utf8)),
        (Array("[C".utf8), Array(".".utf8)), (Array("Connection ".utf8), Array(":".utf8)),
    ]
    /// Of a mark in UTF-8.
    private static let firstByte: UInt8 = 0xEF
}

extension [UInt8] {
    /// Replaces each occurrence of `old`.
    fileprivate mutating func replace(_ old: [UInt8], by new: [UInt8]) {
        guard !old.isEmpty, let first = place(of: old, from: 0) else { return }
        var (text, begin, next) = ([UInt8](), 0, Optional(first))
        while let place = next {
            text += self[begin..<place]
            text += new
            begin = place + old.count
            next = self.place(of: old, from: begin)
        }
        self = text + self[begin...]
    }

    fileprivate func place(of part: [UInt8], from begin: Int) -> Int? {
        withUnsafeBytes { text in
            guard let base = text.baseAddress, let first = part.first else { return nil }
            var place = begin
            while place + part.count <= text.count {
                guard let next = memchr(base + place, Int32(first), text.count - place - part.count + 1) else {
                    return nil
                }
                place = UnsafeRawPointer(next) - base
                if memcmp(next, part, part.count) == 0 { return place }
                place += 1
            }
            return nil
        }
    }
}
