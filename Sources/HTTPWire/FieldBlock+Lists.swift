import Bytes

extension FieldBlock {
    /// True if `token` is a member of the comma-separated list in the field's lines, ignoring case.
    ///
    /// Compares whole members, with their parameters. Commas inside quotes separate, too (RFC 9110 section 5.6.1).
    public func contains(_ token: String, in name: KnownField) -> Bool {
        guard contains(name) else { return false }
        var wanted = token
        return wanted.withUTF8 { bytes in
            hasMember(of: name) { view, member in
                equalInAnyCase(view.slice(member), UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// The members of Connection and Upgrade, empty ones included, beyond the first of each line.
    var furtherOptions: Int {
        guard contains(.connection) || contains(.upgrade) else { return 0 }
        var commas = 0
        walk { record, view in
            guard record.isField(.connection) || record.isField(.upgrade) else { return true }
            for index in record.value where view[index] == Ascii.comma { commas += 1 }
            return true
        }
        return commas
    }

    /// True if the list in the field's lines has a member that `isWanted` accepts. Skips empty members.
    @inline(__always)
    func hasMember(of name: KnownField, where isWanted: (ByteView, Range<Int>) -> Bool) -> Bool {
        var isFound = false
        walk { record, view in
            if record.isField(name) { isFound = hasMember(in: view, record.value, where: isWanted) }
            return !isFound
        }
        return isFound
    }

    private func hasMember(
        in view: ByteView, _ list: Range<Int>, where isWanted: (ByteView, Range<Int>) -> Bool
    ) -> Bool {
        var start = list.lowerBound
        while start < list.upperBound {
            var end = start
            while end < list.upperBound, view[end] != Ascii.comma { end &+= 1 }
            let member = view.trimmed(start..<end)
            if !member.isEmpty, isWanted(view, member) { return true }
            start = end &+ 1
        }
        return false
    }
}

/// True if both are the same ASCII text, ignoring case.
func equalInAnyCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
}
