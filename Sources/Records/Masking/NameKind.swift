/// The kind of name that a text in a record is or contains.
package enum NameKind: Sendable {
    case host, authority, url, sentence, peer, label, agent, file, bundle, recording, distinguishedName, hexadecimal,
        pin, deviceLine, issuer

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
        case .issuer: names.hidesAll ? names.label(text) : names.sentence(text, known)
        case .deviceLine: DeviceLine.masked(text, by: names, known)
        }
    }

    /// The kinds by JSON key, as the record's fields declare them. Text under other keys is copied unchanged; a test
    /// lists those keys.
    static let all = RecordFields.catalog.nameKinds
}
