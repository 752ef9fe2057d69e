import ATSPolicy

/// Reads the `bplist00` format within limits: every offset is checked, and depth and the size of all values are
/// limited.
///
/// Foundation's reader is not used, because it reads integers and Booleans as the same class and drops repeated keys
/// without a message. Format: CFBinaryPList.c of CoreFoundation (marker byte: kind in the high half, count in the low
/// half).
struct BinaryPropertyList {
    private let bytes: [UInt8]
    private let source: String
    private let offsetBytes: Int
    private let referenceBytes: Int
    private let objectCount: Int
    private let top: Int
    private let table: Int

    /// - Throws: if the 32 bytes of the trailer do not describe this file.
    init(_ bytes: [UInt8], source: String) throws(DeclarationError) {
        self.bytes = bytes
        self.source = source
        let trailer = bytes.count - Self.trailerBytes
        guard trailer >= Self.headerBytes else {
            throw DeclarationError(source: source, what: "the binary property list ends too early")
        }
        offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        let numbers = [8, 16, 24].map { Self.unsigned(bytes, at: trailer + $0, count: 8) }
        guard 1...8 ~= offsetBytes, 1...8 ~= referenceBytes, let objects = numbers[0], let top = numbers[1],
            let table = numbers[2], objects > 0, objects <= bytes.count, top < objects, table >= Self.headerBytes,
            table <= trailer, objects <= (trailer - table) / offsetBytes
        else {
            throw DeclarationError(source: source, what: "the binary property list is damaged or ends too early")
        }
        objectCount = objects
        self.top = top
        self.table = table
    }

    /// The tree from the top object; it has no line numbers.
    func root(within budget: inout DecodingBudget) throws(DeclarationError) -> PropertyNode {
        PropertyNode(try object(top, path: [], within: &budget))
    }

    /// - Parameter path: keys from the root to this object; an object that contains itself ends at the depth limit.
    private func object(
        _ index: Int, path: [String], within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyValue {
        guard path.count <= DeclarationLimits.depth else {
            throw failure(path, "nested too deeply, or an object contains itself")
        }
        guard budget.charge(0) else { throw failure(path, DecodingBudget.exhausted) }
        guard index < objectCount,
            let offset = Self.unsigned(bytes, at: table + index * offsetBytes, count: offsetBytes),
            offset >= Self.headerBytes, offset < table
        else { throw failure(path, "an object is outside the file") }
        let marker = bytes[offset]
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .boolean(false)
        case 0x0 where marker == 0x09: return .boolean(true)
        case 0x1: return .integer(try integer(offset, path))
        case 0x2: return .real(try real(offset, path))
        case 0x3: return .date
        case 0x4: return .data(Array(try content(offset, unit: 1, path, &budget)))
        case 0x5: return .string(String(decoding: try content(offset, unit: 1, path, &budget), as: UTF8.self))
        case 0x6: return .string(Self.utf16(try content(offset, unit: 2, path, &budget)))
        case 0xA: return .array(try array(offset, path, &budget))
        case 0xD: return .dictionary(try dictionary(offset, path, &budget))
        default: throw failure(path, "an object of an unknown kind")
        }
    }

    private func array(
        _ offset: Int, _ path: [String], _ budget: inout DecodingBudget
    ) throws(DeclarationError) -> [PropertyNode] {
        var nodes: [PropertyNode] = []
        for index in try references(try run(offset, unit: referenceBytes, path), path) {
            nodes.append(PropertyNode(try object(index, path: path + ["\(nodes.count)"], within: &budget)))
        }
        return nodes
    }

    private func dictionary(
        _ offset: Int, _ path: [String], _ budget: inout DecodingBudget
    ) throws(DeclarationError) -> [PropertyMember] {
        let all = try references(try run(offset, unit: 2 * referenceBytes, path), path)
        var members: [PropertyMember] = []
        for (key, value) in zip(all.prefix(all.count / 2), all.suffix(all.count / 2)) {
            guard case .string(let name) = try object(key, path: path + ["?"], within: &budget) else {
                throw failure(path, "a key that is not a string")
            }
            let node = PropertyNode(try object(value, path: path + [name], within: &budget))
            members.append(PropertyMember(key: name, node: node))
        }
        return members
    }

    /// The bytes of a string or of data, charged to the budget: each reference to an object is a separate value.
    private func content(
        _ offset: Int, unit: Int, _ path: [String], _ budget: inout DecodingBudget
    ) throws(DeclarationError) -> ArraySlice<UInt8> {
        let bytes = try run(offset, unit: unit, path)
        guard budget.charge(bytes.count) else { throw failure(path, DecodingBudget.exhausted) }
        return bytes
    }

    private func references(_ run: ArraySlice<UInt8>, _ path: [String]) throws(DeclarationError) -> [Int] {
        var indices: [Int] = []
        for start in stride(from: run.startIndex, to: run.endIndex, by: referenceBytes) {
            guard let index = Self.unsigned(bytes, at: start, count: referenceBytes) else {
                throw failure(path, "an object is outside the file")
            }
            indices.append(index)
        }
        return indices
    }

    /// The bytes after a marker with a count; 15 means that the count follows as an integer object.
    private func run(_ offset: Int, unit: Int, _ path: [String]) throws(DeclarationError) -> ArraySlice<UInt8> {
        var start = offset + 1
        var count = Int(bytes[offset] & 0x0F)
        if count == 0x0F {
            guard start < table, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3,
                let long = Self.unsigned(bytes, at: start + 1, count: 1 << Int(bytes[start] & 0x0F))
            else { throw failure(path, "an invalid count") }
            start += 1 + 1 << Int(bytes[start] & 0x0F)
            count = long
        }
        guard start <= table, count <= (table - start) / unit else { throw failure(path, "a value ends too early") }
        return bytes[start..<start + count * unit]
    }

    /// One, two and four bytes are unsigned, eight are signed; of sixteen the lower half is used.
    private func integer(_ offset: Int, _ path: [String]) throws(DeclarationError) -> Int64 {
        let exponent = Int(bytes[offset] & 0x0F)
        let width = 1 << min(exponent, 5)
        guard exponent <= 4, offset + 1 + width <= table else { throw failure(path, "an invalid number") }
        return bytes[offset + 1..<offset + 1 + width].reduce(0) { $0 << 8 | Int64($1) }
    }

    private func real(_ offset: Int, _ path: [String]) throws(DeclarationError) -> Double {
        let width = bytes[offset] & 0x0F == 2 ? 4 : 8
        guard 2...3 ~= bytes[offset] & 0x0F, offset + 1 + width <= table else {
            throw failure(path, "an invalid number")
        }
        let pattern = bytes[offset + 1..<offset + 1 + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return width == 4 ? Double(Float(bitPattern: UInt32(pattern))) : Double(bitPattern: pattern)
    }

    private func failure(_ path: [String], _ what: String) -> DeclarationError {
        let keyPath = path.isEmpty ? nil : path.joined(separator: ".")
        return DeclarationError(source: source, keyPath: keyPath, what: "damaged binary property list: \(what)")
    }

    private static func utf16(_ run: ArraySlice<UInt8>) -> String {
        let units = stride(from: run.startIndex, to: run.endIndex, by: 2).map { start in
            run[start...].prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Big-endian; nil outside the bytes or beyond Int.
    private static func unsigned(_ bytes: [UInt8], at start: Int, count: Int) -> Int? {
        guard start >= 0, count <= 8, start <= bytes.count - count else { return nil }
        let value = bytes[start..<start + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }

    private static let headerBytes = 8
    private static let trailerBytes = 32
}
