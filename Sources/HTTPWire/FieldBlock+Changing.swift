import Bytes

extension FieldBlock {
    /// Appends a trusted field.
    ///
    /// - Returns: false, without a change, if the name is not a token or the value contains a control character.
    @discardableResult
    public mutating func append(_ name: String, _ value: String) -> Bool {
        do {
            try append(untrusted: name, value)
            return true
        } catch {
            return false
        }
    }

    /// Appends a known field, like ``append(_:_:)``.
    @discardableResult
    public mutating func append(_ name: KnownField, _ value: String) -> Bool {
        append("\(name.name)", value)
    }

    /// Appends a field from an untrusted source. Whitespace around the value is dropped.
    ///
    /// - Throws: ``WireError/badFieldName``, ``WireError/badFieldValue`` or ``WireError/nulByte``, without a change.
    public mutating func append(untrusted name: String, _ value: String) throws(WireError) {
        let nameBytes = Array(name.utf8)
        let valueBytes = Array(value.utf8)
        guard !nameBytes.isEmpty, nameBytes.count <= FieldRecord.longestName, nameBytes.allSatisfy(isTokenByte) else {
            throw .badFieldName
        }
        guard !valueBytes.contains(0) else { throw .nulByte }
        guard valueBytes.count <= FieldRecord.longestValue, !valueBytes.contains(where: isControl) else {
            throw .badFieldValue
        }
        appendChecked(nameBytes, valueBytes)
    }

    /// Replaces the first field of this name and drops its repeats, or appends one.
    ///
    /// - Returns: false, without a change, if the value contains a control character.
    @discardableResult
    public mutating func set(_ name: KnownField, _ value: String) -> Bool {
        guard !value.utf8.contains(where: isControl) else { return false }
        guard contains(name) else { return append(name, value) }
        let old = self
        self = FieldBlock()
        var isSet = false
        old.walk { record, view in
            if !record.isField(name) {
                copy(record, from: view)
            } else if !isSet {
                isSet = true
                appendChecked(Array(view.slice(record.name)), Array(value.utf8))
            }
            return true
        }
        return true
    }

    /// Removes every field of this name.
    public mutating func remove(_ name: KnownField) {
        guard contains(name) else { return }
        let old = self
        self = FieldBlock()
        storage.reserveCapacity(old.storage.count)
        old.walk { record, view in
            if !record.isField(name) { copy(record, from: view) }
            return true
        }
    }

    mutating func copy(_ record: FieldRecord, from view: ByteView) {
        storage.append(contentsOf: view.slice(record.start..<record.end))
        count += 1
        known |= record.bit
    }

    mutating func appendChecked(_ name: [UInt8], _ value: [UInt8]) {
        let code = name.withUnsafeBytes { FieldNameTable.shared.code(in: ByteView($0), at: 0, count: $0.count) }
        let trimmed = value.withUnsafeBytes { ByteView($0).trimmed(0..<$0.count) }
        let header = FieldRecord.header(nameCount: name.count, valueCount: trimmed.count, code: code)
        withUnsafeBytes(of: header.littleEndian) { storage.append(contentsOf: $0) }
        storage.append(contentsOf: name)
        storage.append(Ascii.colon)
        storage.append(Ascii.space)
        storage.append(contentsOf: value[trimmed])
        storage.append(Ascii.carriageReturn)
        storage.append(Ascii.lineFeed)
        count += 1
        known |= FieldRecord.bit(of: code)
    }
}
