import Text

/// Copies JSON with its names masked. The JSON has no whitespace between its tokens, and may have the blanks of a form.
package struct MaskScan {
    private let text: [UInt8]
    private let names: NameMask
    private let known: KnownNames
    private let kinds: [String: NameKind]
    /// Keys of the enclosing objects.
    private var path: [String]
    private var key: String
    private var index = 0
    private var writer = JSONWriter()

    /// - Parameters:
    ///   - path: keys of the objects that enclose the text.
    ///   - key: the key whose value the text is; empty for a whole record.
    ///   - kinds: kinds of names, by the keys of their texts.
    package init(
        text: [UInt8], names: NameMask, known: KnownNames, path: [String], key: String = "",
        kinds: [String: NameKind] = NameKind.all
    ) {
        self.text = text
        self.names = names
        self.known = known
        self.kinds = kinds
        self.path = path
        self.key = key
    }

    package mutating func masked() -> [UInt8] {
        writer.bytes.reserveCapacity(text.count + 128)
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""):
                string()
                continue
            case UInt8(ascii: "{"):
                path.append(key)
                key = ""
            case UInt8(ascii: "}"): key = path.popLast() ?? ""
            default: break
            }
            writer.bytes.append(byte)
            index += 1
        }
        return writer.bytes
    }

    /// Copies a key or a value.
    private mutating func string() {
        let start = index + 1
        index = start
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let inside = text[start..<min(index, text.count)]
        index = min(index + 1, text.count)
        guard index < text.count, text[index] == UInt8(ascii: ":") else { return value(inside) }
        key = JSONInside.text(inside)
        // Only an exception has names as keys.
        if path.filter({ !$0.isEmpty }) == ["remedy", "exception"] {
            writer.text(names.entry(key))
        } else {
            copy(inside)
        }
    }

    private mutating func value(_ inside: ArraySlice<UInt8>) {
        let place = (path + [key]).filter { !$0.isEmpty }.joined(separator: ".")
        guard let kind = kinds[place] else { return copy(inside) }
        // The text before a blank is the part that loads share.
        let shared = inside.prefix { $0 != RecordForm.blank }
        writer.raw("\"")
        writer.unquoted(kind.masked(JSONInside.text(shared), by: names, known))
        writer.bytes.append(contentsOf: inside[shared.endIndex...])
        writer.raw("\"")
    }

    private mutating func copy(_ inside: ArraySlice<UInt8>) {
        writer.raw("\"")
        writer.bytes.append(contentsOf: inside)
        writer.raw("\"")
    }
}
