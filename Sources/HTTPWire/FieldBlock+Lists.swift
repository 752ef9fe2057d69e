extension FieldBlock {
    /// True when `token` is a member of the comma-separated list that the field's lines make, in any case.
    ///
    /// Members are compared whole, parameters included; commas inside quotes are not told apart (RFC 9110 5.6.1).
    public func contains(_ token: String, in name: KnownField) -> Bool {
        guard contains(name) else { return false }
        var wanted = token
        return wanted.withUTF8 { bytes in
            hasMember(of: name) { view, member in
                equalInAnyCase(view.slice(member), UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// True when the list that the field's lines make has a member that `isWanted` accepts. Empty members are skipped.
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

/// True when both are the same ASCII text, whatever the case of letters.
func equalInAnyCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
}
