internal import Synchronization

/// Which devices have fetched the certificate, by address: a few, for as long as the gate runs.
final class FetchMemory: Sendable {
    private let fetched = Mutex<[String: Int64]>([:])

    func note(_ client: String, at time: Int64) {
        fetched.withLock { fetched in
            // A gate has a handful of devices; whoever comes from everywhere is none.
            if fetched.count >= Self.limit { fetched.removeAll() }
            fetched[client] = time
        }
    }

    func contains(_ client: String) -> Bool { fetched.withLock { $0[client] != nil } }

    private static let limit = 256
}
