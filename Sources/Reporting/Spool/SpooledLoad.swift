import Records

/// A load to be shipped to a shared store. It has no memory of its own: its texts are in its ``Spool/Batch``.
public struct SpooledLoad: Sendable {
    /// The number of its row in the spool.
    public let number: Int64
    public let id: LoadID
    /// When it began, in milliseconds since 1970-01-01 UTC.
    public let time: Int64
    /// Its index in ``Spool/Batch/forms``.
    public let form: Int
    /// Its range in ``Spool/Batch/texts``; nil if no rule decided.
    public let rule: Range<Int>?
    /// Its range in ``Spool/Batch/texts``; nil if its form has no URL.
    public let url: Range<Int>?
    public let entry: Range<Int>
}

/// A form to be shipped to a shared store.
public final class SpooledForm: Sendable {
    /// A number that is unique in this process. A form that is read again gets another.
    public let serial: Int
    public let recording: String
    public let host: String
    public let verdict: String
    public let os: String
    public let text: String
    /// The text of the handshake; nil if there was none.
    public let handshake: String?
    private let url: (place: Int, beginning: [UInt8], isPlain: Bool)?

    /// - Returns: nil if it contains text that a shared store cannot keep.
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

    /// Appends the URL of a load with this form.
    ///
    /// - Parameter isPlain: of the entry, see ``PlainText``.
    /// - Returns: false if there is no readable URL.
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

    /// The approximate size in memory.
    var bytes: Int { text.utf8.count * 2 + (handshake?.utf8.count ?? 0) + recording.utf8.count + host.utf8.count + 128 }
}
