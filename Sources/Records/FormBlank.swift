/// What goes into one blank of a form.
public struct FormBlank: Sendable, Hashable {
    /// Keys of the record with dots between them, for example `load.url`. Empty for what is left out where it says
    /// nothing.
    public let name: String
    /// What stands before it in the same JSON string, escaped as that asks; empty for what is no string, or has no
    /// beginning that loads share.
    public let beginning: [UInt8]
}

extension RecordForm {
    /// Its blanks in their order. Forms of older versions have other ones than those of this version, so that each is
    /// asked for its own.
    public var namedBlanks: [FormBlank] {
        var scan = BlankScan(text: text)
        return scan.blanks()
    }
}

/// Walks over a form: JSON without blanks between its tokens, but for those that entries fill.
private struct BlankScan {
    let text: [UInt8]
    private var index = 0
    /// Keys of the objects around.
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

    /// A key with its colon, or a value.
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
