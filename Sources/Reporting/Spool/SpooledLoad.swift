import Records

/// A load as it is brought into a shared store. It has no memory of its own: what it says is in its ``Spool/Batch``.
public struct SpooledLoad: Sendable {
    /// Of its row in the spool.
    public let number: Int64
    public let id: LoadID
    /// When it began, in milliseconds since 1970-01-01 UTC.
    public let time: Int64
    /// Which one of ``Spool/Batch/forms``.
    public let form: Int
    /// Where in ``Spool/Batch/texts``; nil where no rule decided.
    public let rule: Range<Int>?
    /// The same; nil where its form tells none.
    public let url: Range<Int>?
    public let entry: Range<Int>
}

/// What loads share, as it is brought into a shared store.
public final class SpooledForm: Sendable {
    /// A number of this process that no other form has; one that is read again has another.
    public let serial: Int
    public let recording: String
    public let host: String
    public let verdict: String
    public let os: String
    public let text: String
    /// The text of the handshake; nil where there was none.
    public let handshake: String?
    private let url: (place: Int, beginning: [UInt8], isPlain: Bool)?

    /// - Returns: nil where a text is in it that no shared store keeps.
    init?(_ form: StoredForm, handshake: String?, serial: Int) {
        let text = String(validating: form.text.text, as: UTF8.self)
        let names = [form.recording, form.host, form.verdict, form.os, handshake ?? "", text ?? "\0"]
        guard let text, names.allSatisfy({ !$0.utf8.contains(0) }) else { return nil }
        self.serial = serial
        recording = form.recording
        host = form.host
        verdict = form.verdict
        os = form.os
        self.text = text
        self.handshake = handshake
        let blanks = form.text.namedBlanks
        url = blanks.firstIndex { $0.name == "load.url" }.map { place in
            let beginning = blanks[place].beginning
            return (place, beginning, beginning.withUnsafeBytes { PlainText.isPlain($0) && !PlainText.isEscaped($0) })
        }
    }

    /// Appends what a load of it asked for.
    ///
    /// - Parameter isPlain: of the entry, see ``PlainText``.
    /// - Returns: false where that is not told.
    func appendURL(of entry: UnsafeBufferPointer<UInt8>, isPlain: Bool, to texts: inout [UInt8]) -> Bool {
        guard let url else { return false }
        let value = UnsafeBufferPointer(rebasing: EntryValues.value(url.place, of: entry))
        if isPlain, url.isPlain, !PlainText.isEscaped(UnsafeRawBufferPointer(value)) {
            texts.append(contentsOf: url.beginning)
            texts.append(contentsOf: value)
            return true
        }
        guard let text = String(checkedJSONInside: url.beginning + value), !text.utf8.contains(0) else { return false }
        texts.append(contentsOf: text.utf8)
        return true
    }

    /// What it takes in memory, about.
    var bytes: Int { text.utf8.count * 2 + (handshake?.utf8.count ?? 0) + recording.utf8.count + host.utf8.count + 128 }
}
