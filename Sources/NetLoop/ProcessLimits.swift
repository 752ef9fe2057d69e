import CPoll
import Synchronization

/// The limit on open descriptors of the process.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard one: a tunnel needs two descriptors, and shells often allow 256 or 1,024.
    ///
    /// - Returns: the current limit; nil if the system does not report it.
    @discardableResult
    public static func raise() -> Int? {
        let limit = cpoll_raise_descriptor_limit()
        return limit < 0 ? nil : limit
    }
}

/// Prevents core files of a process that has the CA's key and TLS secrets in memory.
public enum CoreDumps {
    /// The soft limit before ``refuse()``, in bytes; nil before the first call.
    private static let before = Mutex<UInt64?>(nil)

    /// Prevents core files of this process from now on. On Linux other processes of the user cannot read its memory
    /// either, and the files in `/proc/PID` about memory and descriptors belong to root.
    ///
    /// - Returns: true if the system accepted it.
    @discardableResult
    public static func refuse() -> Bool {
        before.withLock { before in
            var limit: UInt64 = 0
            let result = cpoll_refuse_core_dumps(&limit)
            // On a second call the current limit is our own.
            if before == nil { before = limit }
            return result == 0
        }
    }

    /// Runs `body`, which starts programs, with the core file limit that this process was started with.
    public static func withInheritedLimit<Value>(_ body: () throws -> Value) rethrows -> Value {
        try before.withLock { before in
            guard let before else { return try body() }
            _ = cpoll_limit_core_dumps(before)
            defer { _ = cpoll_limit_core_dumps(0) }
            return try body()
        }
    }
}
