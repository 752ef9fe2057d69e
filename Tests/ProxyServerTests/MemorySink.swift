import Foundation
import Records
import Reporting
import Synchronization

/// Keeps every record, and lets a test wait for a number of them.
final class MemorySink: RecordSink {
    private struct Shelf {
        var records: [LoadRecord] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let shelf = Mutex(Shelf())
    let name = "memory"

    var records: [LoadRecord] { shelf.withLock { $0.records } }

    func write(_ records: [LoadRecord]) throws {
        let ready = shelf.withLock { shelf in
            shelf.records += records
            let count = shelf.records.count
            let ready = shelf.waiting.filter { $0.count <= count }
            shelf.waiting.removeAll { $0.count <= count }
            return ready
        }
        for one in ready { one.continuation.resume() }
    }

    func close() throws {
        // Resumes the remaining waiters, so that the test fails on the records it has.
        let left = shelf.withLock { shelf in
            defer { shelf.waiting.removeAll() }
            return shelf.waiting
        }
        for one in left { one.continuation.resume() }
    }

    /// Waits for `count` records and returns all of them.
    func wait(for count: Int) async -> [LoadRecord] {
        await withCheckedContinuation { continuation in
            let isReady = shelf.withLock { shelf in
                if shelf.records.count >= count { return true }
                shelf.waiting.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
        return records
    }
}
