import FlyingSocks
import Synchronization

/// Lets connections in, no more than there is room for.
struct WebDoor: Sendable {
    let socket: Socket
    let pool: any AsyncSocketPool
    let limits: WebLimits

    /// Serves whoever comes, until the task is cancelled.
    func admit(to site: any WebSite) async {
        guard let door = try? AsyncSocket(socket: socket, pool: pool) else { return }
        let inside = Count()
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    let client = try await door.accept()
                    client.socket.closeOnExec()
                    guard let others = inside.enter(atMost: limits.connections) else {
                        try? client.close()
                        continue
                    }
                    let isCrowded = others * 2 >= limits.connections
                    let patience = isCrowded ? min(limits.crowdedIdle, limits.idle) : limits.idle
                    group.addTask {
                        await WebConnection(socket: client, limits: limits, patience: patience).serve(site)
                        inside.leave()
                    }
                } catch is CancellationError {
                    break
                } catch {
                    // No descriptors, or a client that left before it was let in: both pass. No event tells when, and without a
                    // pause the backlog, which stays ready, would make this a busy loop.
                    try? await Task.sleep(for: pause)
                }
            }
            group.cancelAll()
        }
    }

    /// How many are inside.
    private final class Count: Sendable {
        private let count = Mutex(0)

        /// - Returns: how many were inside before; nil where there is no room.
        func enter(atMost limit: Int) -> Int? {
            count.withLock { count in
                guard count < limit else { return nil }
                defer { count += 1 }
                return count
            }
        }

        func leave() { count.withLock { $0 -= 1 } }
    }
}

private let pause = Duration.milliseconds(100)
