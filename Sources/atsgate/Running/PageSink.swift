import Onboarding
import Records
import Reporting
import Synchronization

/// Collects facts about devices and clients while a gate runs, for its page.
final class PageSink: RecordSink {
    let name = "page"
    let devices = DeviceMemory()
    private let clients = Mutex(ClientNotes())

    func write(_ records: [LoadRecord]) {
        devices.note(records)
        clients.withLock { clients in
            for record in records { clients.add(record) }
        }
    }

    func close() {}

    /// Notes on the clients, each a sentence.
    var clientNotes: [String] { clients.withLock { $0.sentences } }
}
