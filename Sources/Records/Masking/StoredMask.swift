import ATSPolicy
import Bytes
import Text

/// Masks the two stored parts of a load: the form that many loads share, and the load's entry. Texts are JSON without
/// whitespace between its tokens.
public struct StoredMask: Sendable {
    private let names: NameMask
    private var known = KnownNames()
    private let blanks: [FormBlank]
    /// Index of the URL among the blanks.
    private let url: Int?
    /// Values masked before: most findings and remedies are alike.
    private var values = WeighedCache<Value, [UInt8]>(.masks, limit: 64 << 10, count: 128)

    private struct Value: Hashable {
        let place: Int
        let bytes: [UInt8]
    }

    /// - Parameters:
    ///   - form: its text with blanks.
    ///   - first: any record of the form; shows which names the sentences may contain.
    ///   - handshake: the form's handshake.
    public init(
        _ names: NameMask, form: RecordForm, first: DecodedObject<RecordFields>, handshake: RecordedHandshake?
    ) {
        self.names = names
        blanks = form.namedBlanks
        url = blanks.firstIndex { $0.name == "load.url" }
        known = names.known(host: first.load.host, entry: first.policy.entry)
        known.add(first.policy.source, names.file)
        known.add(first.policy.bundleID, names.bundle)
        known.add(first.client.label, names.label)
        known.add(first.client.userAgent, names.userAgent)
        for certificate in first.origin?.chain ?? [] {
            for name in [certificate.subject, certificate.issuer] { names.learn(distinguishedName: name, &known) }
        }
        names.learn(handshake?.facts.map { $0.served + $0.path } ?? [], &known)
    }

    /// Masks the form's text.
    public func form(_ text: [UInt8]) -> [UInt8] {
        var scan = MaskScan(text: text, names: names, known: known, path: [])
        return scan.masked()
    }

    /// Masks an entry of the form.
    public mutating func entry(_ entry: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var masked: [UInt8] = []
        masked.reserveCapacity(entry.count + 64)
        let own = url.flatMap { place in
            names.known(known, withPathOf: JSONInside.text(EntryValues.value(place, of: entry)))
        }
        for (place, value) in entry.split(separator: RecordForm.blank, omittingEmptySubsequences: false).enumerated() {
            if place > 0 { masked.append(RecordForm.blank) }
            guard blanks.indices.contains(place), mayHold(value, blanks[place]) else {
                masked.append(contentsOf: value)
                continue
            }
            guard place != url else {
                masked.append(contentsOf: self.url(value))
                continue
            }
            guard own == nil, !isRare(blanks[place]) else {
                masked.append(contentsOf: self.value(Array(value), of: blanks[place], own ?? known))
                continue
            }
            let key = Value(place: place, bytes: Array(value))
            if let known = values.value(for: key) {
                masked.append(contentsOf: known)
                continue
            }
            let new = self.value(key.bytes, of: blanks[place], known)
            values.keep(new, for: key, bytes: new.count + key.bytes.count)
            masked.append(contentsOf: new)
        }
        return masked
    }

    /// True if a value may contain names. Numbers, times and the id do not.
    private func mayHold(_ value: Slice<UnsafeBufferPointer<UInt8>>, _ blank: FormBlank) -> Bool {
        if blank.name == "load.url" { return true }
        guard let first = value.first, !["id", "time", "load.method"].contains(blank.name) else { return false }
        return [UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ",")].contains(first)
    }

    /// True for values that differ with nearly every load or connection. They are not cached.
    private func isRare(_ blank: FormBlank) -> Bool {
        blank.name == "client.address" || blank.name == "load.redirectedFrom"
    }

    /// Masks the part of a URL after the origin, or all of it if the form is from an older store.
    private func url(_ text: some Collection<UInt8>) -> [UInt8] {
        var writer = JSONWriter()
        writer.unquoted(names.url(JSONInside.text(text)))
        return writer.bytes
    }

    private func value(_ value: [UInt8], of blank: FormBlank, _ known: KnownNames) -> [UInt8] {
        if blank.name == "masked" {
            // A list of names, which gets one more.
            let names = Array("\"names\"]".utf8)
            if value.suffix(names.count).elementsEqual(names) { return value }
            return value.dropLast() + (value.count > 2 ? Array(",".utf8) : []) + names
        }
        var path = blank.name.split(separator: ".").map(String.init)
        let key = path.popLast() ?? ""
        var scan = MaskScan(text: value, names: names, known: known, path: path, key: key)
        return scan.masked()
    }
}

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

/// The inside of JSON strings.
enum JSONInside {
    /// Decodes the inside of a JSON string (RFC 8259 section 7).
    static func text(_ inside: some Collection<UInt8>) -> String {
        guard inside.contains(UInt8(ascii: "\\")) else { return String(decoding: inside, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = inside[...]
        var plain: [UInt8] = []
        func flush() {
            units += String(decoding: plain, as: UTF8.self).utf16
            plain = []
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                plain.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): plain.append(10)
            case UInt8(ascii: "t"): plain.append(9)
            case UInt8(ascii: "r"): plain.append(13)
            case UInt8(ascii: "b"): plain.append(8)
            case UInt8(ascii: "f"): plain.append(12)
            case UInt8(ascii: "u"):
                flush()
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                rest = rest.dropFirst(4)
                units.append(UInt16(digits, radix: 16) ?? 0xFFFD)
            default: plain.append(escape)
            }
        }
        flush()
        return String(decoding: units, as: UTF16.self)
    }
}
