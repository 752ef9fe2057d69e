extension FieldBlock {
    /// Reads the field lines of a head or of trailers, each with its CRLF, without the empty line that ends them.
    ///
    /// - Parameter lines: how many lines `section` has, for sizing the storage.
    /// - Throws: the first thing wrong, in the order of the bytes.
    static func read(_ view: ByteView, _ section: Range<Int>, lines: Int) throws(WireError) -> FieldBlock {
        guard !section.isEmpty else { return FieldBlock() }
        var block = FieldBlock()
        var failure: WireError?
        // A line grows by its header, and by the space after its colon where the sender left that out.
        let room = section.count + lines * (FieldRecord.headerBytes + 1)
        block.storage = [UInt8](unsafeUninitializedCapacity: room) { memory, used in
            var pen = Pen(UnsafeMutableRawBufferPointer(memory))
            do throws(WireError) {
                let names = FieldNameTable.shared
                var start = section.lowerBound
                while start < section.upperBound {
                    start = try block.readLine(view, start..<section.upperBound, names, into: &pen)
                }
                used = pen.used
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return block
    }

    /// Reads one line and returns where the next one begins.
    @inline(__always)
    private mutating func readLine(
        _ view: ByteView, _ rest: Range<Int>, _ names: FieldNameTable, into pen: inout Pen
    ) throws(WireError) -> Int {
        let start = rest.lowerBound
        let colon = view.first(Ascii.colon, from: start, to: rest.upperBound)
        let nameCount = colon &- start
        let field = names.field(in: view, at: start, count: nameCount)
        // A name that we know is made of tokens; any other is looked at byte by byte.
        if field == nil {
            let stop = view.endOfToken(from: start, to: colon)
            guard stop == colon, colon > start, colon < rest.upperBound else {
                throw nameError(view, rest, stop: stop)
            }
        }
        var valueStart = colon &+ 1
        while valueStart < rest.upperBound, isBlank(view[valueStart]) { valueStart &+= 1 }
        let lineEnd = view.firstControl(from: valueStart, to: rest.upperBound)
        guard view.hasLineEnd(at: lineEnd, before: rest.upperBound) else {
            throw controlError(view, rest, at: lineEnd, otherwise: .badFieldValue)
        }
        let value = view.trimmed(valueStart..<lineEnd)
        guard nameCount <= FieldRecord.longestName, value.count <= FieldRecord.longestValue else {
            throw .headTooLarge
        }
        pen.put(word: FieldRecord.header(nameCount: nameCount, valueCount: value.count, field: field))
        if valueStart == colon &+ 2, view[colon &+ 1] == Ascii.space, value.upperBound == lineEnd {
            pen.put(view.slice(start..<lineEnd &+ 2))
        } else {
            pen.put(view.slice(start..<colon))
            pen.put(": ")
            pen.put(view.slice(value))
            pen.put("\r\n")
        }
        count &+= 1
        if let field { known |= field.bit }
        return lineEnd &+ 2
    }
}

/// What is wrong with a line whose name stops at `stop` without a colon.
private func nameError(_ view: ByteView, _ rest: Range<Int>, stop: Int) -> WireError {
    guard stop < rest.upperBound else { return .badFieldName }
    guard isBlank(view[stop]) else { return controlError(view, rest, at: stop, otherwise: .badFieldName) }
    if stop == rest.lowerBound { return .foldedField }
    var next = stop
    while next < rest.upperBound, isBlank(view[next]) { next += 1 }
    return next < rest.upperBound && view[next] == Ascii.colon ? .spaceBeforeColon : .badFieldName
}

/// What is wrong with the control character at `index`.
func controlError(_ view: ByteView, _ rest: Range<Int>, at index: Int, otherwise: WireError) -> WireError {
    guard index < rest.upperBound else { return otherwise }
    switch view[index] {
    case 0: return .nulByte
    case Ascii.carriageReturn where !view.hasLineEnd(at: index, before: rest.upperBound): return .bareCarriageReturn
    default: return otherwise
    }
}
