/// One blank of a form.
public struct FormBlank: Sendable, Hashable {
    /// Keys of the record joined with dots, for example `load.url`. Empty for a field that is left out when it has no
    /// value.
    public let name: String
    /// The part of the same JSON string before the blank, escaped. Empty if the value is not a string, or has no shared
    /// beginning.
    public let beginning: [UInt8]
}

extension RecordForm {
    /// The blanks in order. Read from the form itself, because forms of older versions have other blanks than this
    /// version's.
    public var namedBlanks: [FormBlank] {
        var scan = BlankScan(text: text)
        return scan.blanks()
    }
}

/// Walks over a form: JSON without whitespace between its tokens, except for the blanks.
private struct BlankScan {
    let text: [UInt8]
    private var index = 0
    /// Keys of the enclosing objects.
    private var path: [String] = []
    private var key = ""
    private var isAfterKey = false
    private var found: [FormBlank] = []

    init(text: [UInt8]) {
        self.text = text
    }

    mutating func blanks() -> [FormBlank] {
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): string()
            case UInt8(ascii: "{"):
                path.append(key)
                isAfterKey = false
            case UInt8(ascii: "}"): _ = path.popLast()
            case UInt8(ascii: ","): isAfterKey = false
            case RecordForm.blank:
                found.append(FormBlank(name: isAfterKey ? name : "", beginning: []))
                isAfterKey = false
            default: break
            }
            index += 1
        }
        return found
    }

    private var name: String { (path.dropFirst() + [key]).joined(separator: ".") }

    /// Reads a key with its colon, or a value.
    private mutating func string() {
        let start = index + 1
        var blanks: [Int] = []
        index = start
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            if text[index] == UInt8(ascii: "\\") { index += 1 }
            if index < text.count, text[index] == RecordForm.blank { blanks.append(index) }
            index += 1
        }
        if !isAfterKey, index + 1 < text.count, text[index + 1] == UInt8(ascii: ":") {
            key = String(decoding: text[start..<index], as: UTF8.self)
            isAfterKey = true
            index += 1
        } else {
            found += blanks.map { FormBlank(name: name, beginning: Array(text[start..<$0])) }
            isAfterKey = false
        }
    }
}
