import Records
import Reporting
import Synchronization
import Text

/// Collects notes on clients while a gate runs, for its end.
final class ClientSink: RecordSink {
    let name = "clients"
    private let notes = Mutex(ClientNotes())

    func write(_ records: [LoadRecord]) {
        notes.withLock { notes in
            for record in records { notes.add(record) }
        }
    }

    func close() {}

    var sentences: [String] { notes.withLock { $0.sentences } }

    /// A line for each note; empty for none.
    var notice: String {
        sentences.map { "atsgate: note: \($0.printable)\n" }.joined()
    }
}
