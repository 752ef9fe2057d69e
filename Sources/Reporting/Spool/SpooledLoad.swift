import Foundation
import Records

/// A load as it is brought into a shared store.
public struct SpooledLoad: Sendable {
    /// Of its row in the spool.
    public let number: Int64
    public let id: LoadID
    /// When it began, in milliseconds since 1970-01-01 UTC.
    public let time: Int64
    public let form: SpooledForm
    /// nil where no rule decided.
    public let rule: String?
    /// nil where its form tells none.
    public let url: String?
    /// UTF-8 without U+0000.
    public let entry: [UInt8]
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
    private let url: (place: Int, beginning: [UInt8])?

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
        url = blanks.firstIndex { $0.name == "load.url" }.map { ($0, blanks[$0].beginning) }
    }

    /// What a load of it asked for; nil where that is not told.
    func url(of entry: UnsafeBufferPointer<UInt8>) -> String? {
        guard let url else { return nil }
        let inside = url.beginning + EntryValues.value(url.place, of: entry)
        return String(checkedJSONInside: inside).flatMap { $0.utf8.contains(0) ? nil : $0 }
    }

    /// What it takes in memory, about.
    var bytes: Int { text.utf8.count * 2 + (handshake?.utf8.count ?? 0) + recording.utf8.count + host.utf8.count + 128 }
}
