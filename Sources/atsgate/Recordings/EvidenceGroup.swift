import ATSPolicy
import ProxyServer
import Records
import Reporting

/// Recorded loads that are alike, ready to be judged again.
struct EvidenceGroup {
    let evidence: LoadEvidence
    /// What the loads were judged by.
    let profile: OSProfile
    /// Of the first of them.
    let url: String
    let handshakeID: Int64?
    let loads: Int

    /// - Throws: ``CommandFailure`` with 65 for what a later version recorded.
    init(_ group: RecordedGroup) throws(CommandFailure) {
        let record = group.first.record
        let evidence = LoadEvidence(
            record, handshake: group.first.handshake, rule: group.rule, milliseconds: group.earliest)
        guard let evidence, let profile = OSProfile.named(record.policy.os) else {
            throw .badInput("the record \(record.id) is of a later version, or of an unknown system")
        }
        self.evidence = evidence
        self.profile = profile
        url = record.load.url
        handshakeID = group.first.handshakeID
        loads = group.loads
    }
}

extension GateChoices {
    /// Hands over the loads of a recording, alike ones together.
    ///
    /// - Returns: the recording's name; nil for all of the store.
    /// - Throws: ``CommandFailure``.
    func readRecording(_ choice: RecordingChoice, _ body: (EvidenceGroup) throws -> Void) throws -> String? {
        guard let path = storePath else { throw CommandFailure.usage("name the store to read") }
        do {
            let reader = try ReadStores.open(path)
            let name = try choice.name(in: reader, path: path)
            try reader.forEachGroup(recording: name) { try body(EvidenceGroup($0)) }
            return name
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    /// The dictionary with the names that the loads of a recording have.
    ///
    /// - Throws: ``CommandFailure``.
    func recordedDeclaration(_ choice: RecordingChoice) throws -> Declaration {
        let declaration = try declaration()
        guard let path = storePath, try MaskFile.key(beside: path) != nil else { return declaration }
        do {
            let reader = try ReadStores.open(path)
            let recordings = [try choice.name(in: reader, path: path)].compactMap(\.self)
            return try MaskFile.declaration(declaration, meeting: recordings, in: reader, at: path)
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    /// What the app's own code has to say about certificates.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a certificate of `--app-pin` that cannot be read.
    func appTrust() throws(CommandFailure) -> AppTrust {
        var trust = settings.appTrust
        for pin in pins { trust.pins.append(try pin.pin()) }
        return trust
    }
}

extension OSProfile {
    /// - Throws: ``CommandFailure`` with 64 that names what is near.
    init(argument: String) throws(CommandFailure) {
        do throws(ValueProblem) {
            guard let profile = try ValueKind<OSProfile?>.system.read(argument) else {
                throw ValueProblem("name a release, or leave --os out for the system that each load was judged by")
            }
            self = profile
        } catch {
            throw .usage("The value '\(argument)' is invalid for '--os <profile>': \(error)")
        }
    }
}
