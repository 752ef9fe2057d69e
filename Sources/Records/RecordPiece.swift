import ATSPolicy

/// Decodes a piece of a stored record, or a whole line of an exchanged recording.
package struct RecordPiece: Decodable {
    /// A record with only the values of the piece.
    package let record: LoadRecord
    /// The number of the record's handshake among those of an exchanged recording.
    package let handshake: Int?

    /// The key of the decoder's `userInfo` for the ``RecordPieces`` to read.
    package static let pieces = CodingUserInfoKey(rawValue: "pieces")

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: FieldKey.self)
        let pieces = Self.pieces.flatMap { decoder.userInfo[$0] as? RecordPieces } ?? .whole
        var record = LoadRecord.blank
        try record.read(object, pieces)
        self.record = record
        handshake = try object.decodeIfPresent(Int.self, forKey: FieldKey(stringValue: "handshake"))
    }
}

extension LoadRecord {
    /// Gives a record that was read back its handshake, which is stored by itself.
    package mutating func restore(_ handshake: RecordedHandshake?) {
        guard let handshake else { return }
        self.origin = RecordedOrigin(RecordedOrigin.Members(address: self.origin?.address, handshake: handshake))
    }

    /// The handshake that a store keeps; nil if none was seen.
    package var handshake: RecordedHandshake? {
        guard let handshake = self.origin?.handshake, !handshake.isEmpty else { return nil }
        return handshake
    }

    /// True if a store keeps both records with the same shared row: all fields of ``RecordPieces/shared`` are equal.
    /// Compares parts by identity first, which distinguishes most records.
    package func sharesRow(with other: LoadRecord) -> Bool {
        let (one, other) = (content.members, other.content.members)
        return one.client.isShared(with: other.client) && one.policy.isShared(with: other.policy)
            && one.origin == other.origin && one.load.target == other.load.target && one.verdict == other.verdict
            && one.refusal == other.refusal && one.shown == other.shown && one.recording == other.recording
            && one.source == other.source && one.load.wireProtocol == other.load.wireProtocol
            && one.via == other.via && one.removed == other.removed && one.masked == other.masked
    }

    /// True if ``sharesRow(with:)`` holds because both records have the same parts. Costs a few comparisons.
    package func hasSameParts(as other: LoadRecord) -> Bool {
        let (one, other) = (content.members, other.content.members)
        return one.client === other.client && one.policy === other.policy && one.origin === other.origin
            && one.load.target == other.load.target && one.verdict == other.verdict && one.refusal == other.refusal
            && one.shown == other.shown && one.recording == other.recording && one.source == other.source
            && one.load.wireProtocol == other.load.wireProtocol && one.via == other.via
            && one.removed == other.removed && one.masked == other.masked
    }

    /// A hash of the addresses of the record's parts, and of the lists that differ between loads of one connection.
    package var partMark: UInt {
        let members = content.members
        var mark = UInt(bitPattern: ObjectIdentifier(members.client))
        mark = mark &* 31 &+ UInt(bitPattern: ObjectIdentifier(members.policy))
        mark = mark &* 31 &+ (members.origin.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0)
        mark = mark &* 31 &+ UInt(members.removed.count &* 31 &+ members.masked.count)
        return (mark &* 0x9E37_79B9_7F4A_7C15) >> 40
    }

    /// The record without the values that only one load has, to keep it as an example of its shared row.
    package var withoutOwnValues: LoadRecord {
        var kept = self
        kept.diagnosis = nil
        kept.device = nil
        return kept
    }
}

extension RecordedClient {
    /// True if all but the address is equal, which differs with each connection.
    fileprivate func isShared(with other: RecordedClient) -> Bool {
        guard self !== other else { return true }
        let (one, other) = (members, other.members)
        return one.label == other.label && one.userAgent == other.userAgent && one.loader == other.loader
            && one.assumed == other.assumed && one.os == other.os && one.osEvidence == other.osEvidence
            && one.osNotes == other.osNotes && one.entrance == other.entrance && one.hello == other.hello
    }
}

extension RecordedPolicy {
    fileprivate func isShared(with other: RecordedPolicy) -> Bool {
        guard self !== other else { return true }
        let (one, other) = (members, other.members)
        return one.source == other.source && one.bundleID == other.bundleID && one.os == other.os
            && one.basis?.entry == other.basis?.entry && one.basis?.keyPath == other.basis?.keyPath
            && one.basis?.isBuiltIn ?? false == other.basis?.isBuiltIn ?? false && one.line == other.line
            && one.mode == other.mode
    }
}

extension RecordedDiagnosis {
    /// Returns a copy with each sentence changed.
    package func with(_ change: (String) -> String) -> RecordedDiagnosis {
        let findings = findings.map { finding in
            var finding = finding
            finding.expected = change(finding.expected)
            finding.observed = change(finding.observed)
            return finding
        }
        let apple = apple.map { error in
            var error = error
            error.message = change(error.message)
            error.log = error.log.map(change)
            return error
        }
        return RecordedDiagnosis(findings: findings, apple: apple, remedy: remedy.map { $0.with(change) })
    }
}
