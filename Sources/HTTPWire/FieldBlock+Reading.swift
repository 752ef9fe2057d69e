import Bytes

extension FieldBlock {
    /// Reads the field lines of a head or of trailers, each with its CRLF, without the empty line at the end.
    ///
    /// - Parameter lines: the number of lines in `section`, to size the storage.
    /// - Throws: the first error, in the order of the bytes.
    static func read(_ view: ByteView, _ section: Range<Int>, lines: Int) throws(WireError) -> FieldBlock {
        guard !section.isEmpty else { return FieldBlock() }
        var block = FieldBlock()
        var failure: WireError?
        // A stored line is longer by its header, and by a space after the colon if the sender sent none.
        let room = section.count + lines * (FieldRecord.headerBytes + 1)
        block.storage = [UInt8](unsafeUninitializedCapacity: room) { memory, used in
            var reader = FieldLineReader(view, end: section.upperBound, UnsafeMutableRawBufferPointer(memory))
            do throws(WireError) {
                var start = section.lowerBound
                while start < section.upperBound { start = try reader.readLine(at: start) }
                used = reader.memoryWriter.used
                block.known = reader.known
                block.count = reader.count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return block
    }
}

/// Reads field lines one after the other into records. Source: RFC 9112 section 5.
private struct FieldLineReader {
    let view: ByteView
    /// End of the last line.
    let end: Int
    let names = FieldNameTable.shared
    var memoryWriter: MemoryWriter
    var known: UInt64 = 0
    var count = 0

    init(_ view: ByteView, end: Int, _ room: UnsafeMutableRawBufferPointer) {
        self.view = view
        self.end = end
        memoryWriter = MemoryWriter(room)
    }

    /// Reads one line and returns the start of the next.
    @inline(__always)
    mutating func readLine(at start: Int) throws(WireError) -> Int {
        let colon = view.first(Ascii.colon, from: start, to: end)
        let code = names.code(in: view, at: start, count: colon &- start)
        // A known name is always a token; any other is checked byte by byte.
        if code == FieldRecord.noField { try checkName(start..<colon) }
        var valueStart = colon &+ 1
        while valueStart < end, isBlank(view[valueStart]) { valueStart &+= 1 }
        let lineEnd = view.firstControl(from: min(valueStart, end), to: end)
        guard view.hasLineEnd(at: lineEnd, before: end) else { throw controlError(at: lineEnd, .badFieldValue) }
        var valueEnd = lineEnd
        while valueEnd > valueStart, isBlank(view[valueEnd &- 1]) { valueEnd &-= 1 }
        try put(name: start..<colon, value: valueStart..<valueEnd, lineEnd: lineEnd, code)
        return lineEnd &+ 2
    }

    @inline(__always)
    private mutating func put(
        name: Range<Int>, value: Range<Int>, lineEnd: Int, _ code: UInt8
    ) throws(WireError) {
        guard name.count <= FieldRecord.longestName, value.count <= FieldRecord.longestValue else {
            throw .headTooLarge
        }
        memoryWriter.put(word: FieldRecord.header(nameCount: name.count, valueCount: value.count, code: code))
        if value.lowerBound == name.upperBound &+ 2, view[name.upperBound &+ 1] == Ascii.space,
            value.upperBound == lineEnd
        {
            memoryWriter.put(view.slice(name.lowerBound..<lineEnd &+ 2))
        } else {
            memoryWriter.put(view.slice(name))
            memoryWriter.put(": ")
            memoryWriter.put(view.slice(value))
            memoryWriter.put("\r\n")
        }
        count &+= 1
        known |= FieldRecord.bit(of: code)
    }

    /// Throws if the name before the colon is invalid, or if the line has no colon.
    private func checkName(_ name: Range<Int>) throws(WireError) {
        let stop = view.endOfToken(from: name.lowerBound, to: name.upperBound)
        guard stop == end || stop < name.upperBound || name.isEmpty else { return }
        guard stop < name.upperBound else { throw .badFieldName }
        guard isBlank(view[stop]) else { throw controlError(at: stop, .badFieldName) }
        guard stop > name.lowerBound else { throw .foldedField }
        var next = stop
        while next < name.upperBound, isBlank(view[next]) { next += 1 }
        throw next == name.upperBound && next < end ? .spaceBeforeColon : .badFieldName
    }

    /// Returns the error for the byte at `index`, or `otherwise` if it is neither NUL nor half a line end.
    private func controlError(at index: Int, _ otherwise: WireError) -> WireError {
        HTTPWire.controlError(view, 0..<end, at: index, otherwise: otherwise)
    }
}

/// Returns the error for the control character at `index`.
func controlError(_ view: ByteView, _ rest: Range<Int>, at index: Int, otherwise: WireError) -> WireError {
    guard index < rest.upperBound else { return otherwise }
    switch view[index] {
    case 0: return .nulByte
    case Ascii.carriageReturn where !view.hasLineEnd(at: index, before: rest.upperBound): return .bareCarriageReturn
    default: return otherwise
    }
}
