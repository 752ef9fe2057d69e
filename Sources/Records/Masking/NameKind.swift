/// What kind of name a text of a record is.
enum NameKind: Sendable {
    case host, authority, url, sentence, peer, label, agent, file, bundle, recording, distinguishedName, hexadecimal,
        pin, deviceLine

    func masked(_ text: String, by names: NameMask, _ known: KnownNames) -> String {
        switch self {
        case .host: names.entry(text)
        case .authority: names.authority(text)
        case .url: names.url(text)
        case .sentence: names.sentence(text, known)
        case .peer: names.peer(text)
        case .label: names.label(text)
        case .agent: names.userAgent(text)
        case .file: names.file(text)
        case .bundle: names.bundle(text)
        case .recording: names.recording(text)
        case .distinguishedName: names.distinguishedName(text, known)
        case .hexadecimal: names.hidesAll ? names.key.hexadecimal(text) : text
        case .pin: names.pin(text)
        case .deviceLine: DeviceLine.masked(text, by: names, known)
        }
    }

    /// By the keys of a record; every other text is copied. A test knows those that may be.
    static let all: [String: NameKind] = [
        "recording": .recording, "client.address": .peer, "client.label": .label, "client.userAgent": .agent,
        "client.osEvidence": .sentence, "client.osNotes": .sentence, "load.url": .url, "load.host": .host,
        "load.redirectedFrom": .url, "load.parent": .url, "policy.source": .file,
        "policy.bundleID": .bundle, "policy.entry": .host, "policy.key": .sentence, "findings.keyPath": .sentence,
        "findings.expected": .sentence, "findings.observed": .sentence, "origin.address": .authority,
        "origin.chain.subject": .distinguishedName, "origin.chain.issuer": .distinguishedName,
        "origin.chain.serial": .hexadecimal, "origin.chain.sha256": .hexadecimal, "origin.chain.spkiSHA256": .pin,
        "apple.message": .sentence, "apple.log": .sentence, "remedy.server": .sentence, "candidates.source": .file,
        "device.how": .sentence, "device.log": .file, "device.app": .label, "device.proxied": .label,
        "device.lines": .deviceLine, "via": .authority, "removed": .sentence,
    ]
}
