import CPoll
import Synchronization

/// Core files of a process that has the CA's key and TLS secrets in its memory.
public enum CoreDumps {
    /// The soft limit that held before, in bytes; nil as long as nothing was refused.
    private static let before = Mutex<UInt64?>(nil)

    /// No memory of this process goes into a core file from now on. On Linux other processes of the user can not look
    /// into it either, and the files of `/proc/PID` that tell of memory and descriptors are root's.
    ///
    /// - Returns: whether the system took it.
    @discardableResult
    public static func refuse() -> Bool {
        before.withLock { before in
            var limit: UInt64 = 0
            let result = cpoll_refuse_core_dumps(&limit)
            // Asked again, the limit is our own.
            if before == nil { before = limit }
            return result == 0
        }
    }

    /// Starts programs by `body`, which inherit the limit that this process was started with.
    public static func withInheritedLimit<Value>(_ body: () throws -> Value) rethrows -> Value {
        try before.withLock { before in
            guard let before else { return try body() }
            _ = cpoll_limit_core_dumps(before)
            defer { _ = cpoll_limit_core_dumps(0) }
            return try body()
        }
    }
}
