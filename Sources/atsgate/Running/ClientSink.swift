import Records
import Reporting
import Synchronization
import Text

/// Collects notes on clients while a gate runs, for its page.
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
}
