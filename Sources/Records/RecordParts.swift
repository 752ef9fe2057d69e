/// The part of a field that goes into the entry when a whole line is split.
indirect enum EntryPart: Sendable {
    case nothing
    case value
    /// The text between the quotes.
    case inside
    /// Parts of some fields of an object.
    case group([EntryCut])
}

/// The cut of the field with one name.
struct EntryCut: Sendable {
    let key: StaticString
    let cut: EntryPart
}

/// A record's line, split as stores keep it: the form that many loads share, and the entry.
public struct RecordParts {
    /// UTF-8 with blanks.
    public private(set) var form: [UInt8] = []
    public private(set) var entry: [UInt8] = []
    private var hasCut = false

    public init() {}

    /// Splits `line`, and replaces the previous result.
    ///
    /// - Returns: false if the line is not a record; both parts are then invalid.
    public mutating func take(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        form.removeAll(keepingCapacity: true)
        entry.removeAll(keepingCapacity: true)
        hasCut = false
        var scan = LineScan(line: line)
        guard scan.object(cuts: RecordFields.catalog.cuts, into: &self), scan.isAtEnd else { return false }
        form.append(contentsOf: scan.rest)
        return true
    }

    /// Appends `kept` to the form and `cut` to the entry.
    fileprivate mutating func add(kept: Slice<UnsafeBufferPointer<UInt8>>, cut: Slice<UnsafeBufferPointer<UInt8>>) {
        form.append(contentsOf: kept)
        if hasCut { entry.append(RecordForm.blank) }
        hasCut = true
        form.append(RecordForm.blank)
        entry.append(contentsOf: cut)
    }
}

/// Walks over a line that this program wrote: JSON without whitespace between its tokens.
private struct LineScan {
    let line: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// The end of the part that was already returned.
    private var done = 0

    init(line: UnsafeBufferPointer<UInt8>) {
        self.line = line
    }

    var isAtEnd: Bool { index == line.count }
    var rest: Slice<UnsafeBufferPointer<UInt8>> { line[done...] }

    /// Walks over an object and moves the parts of the entry to `parts`.
    mutating func object(cuts: [EntryCut], into parts: inout RecordParts) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        while true {
            let start = index
            guard string() else { return false }
            let cut = cuts.first { $0.key.names(line[(start + 1)..<(index - 1)]) }?.cut ?? .nothing
            guard take(UInt8(ascii: ":")), value(cut, into: &parts) else { return false }
            if take(UInt8(ascii: "}")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func value(_ cut: EntryPart, into parts: inout RecordParts) -> Bool {
        if case .group(let cuts) = cut { return object(cuts: cuts, into: &parts) }
        let start = index
        guard skipValue() else { return false }
        switch cut {
        case .nothing, .group: return true
        case .value: hand(start..<index, to: &parts)
        case .inside:
            guard line[start] == quote else { return false }
            hand(start + 1..<index - 1, to: &parts)
        }
        return true
    }

    private mutating func hand(_ range: Range<Int>, to parts: inout RecordParts) {
        parts.add(kept: line[done..<range.lowerBound], cut: line[range])
        done = range.upperBound
    }

    private mutating func skipValue() -> Bool {
        var depth = 0
        while index < line.count {
            switch line[index] {
            case quote:
                guard string() else { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return true }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return true
                }
            case UInt8(ascii: ","): if depth == 0 { return true }
            default: break
            }
            index += 1
        }
        return false
    }

    private mutating func string() -> Bool {
        guard take(quote) else { return false }
        while index < line.count {
            let byte = line[index]
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == quote { return true }
        }
        return false
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < line.count, line[index] == byte else { return false }
        index += 1
        return true
    }
}

extension StaticString {
    fileprivate func names(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        bytes.count == utf8CodeUnitCount && withUTF8Buffer { $0.elementsEqual(bytes) }
    }
}

private let quote = UInt8(ascii: "\"")
