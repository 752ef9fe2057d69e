public import Foundation

extension Process {
    /// Starts, and closes this side of the files that it reads and writes: Foundation may keep a process that has ended,
    /// with all that it was given (seen in Swift 6.3 on Linux). What is this process's own, as where nothing else was
    /// given, stays open.
    public func begin() throws {
        defer {
            for given in [standardInput, standardOutput, standardError] {
                guard let handle = given as? FileHandle, handle !== FileHandle.nullDevice,
                    handle.fileDescriptor > STDERR_FILENO
                else { continue }
                try? handle.close()
            }
        }
        try run()
    }

    /// Waits for its end, on whichever thread. Foundation's own wait hears of it up to 50 ms late where another process
    /// that this thread has started still runs (seen in Swift 6.3 on Linux).
    public func waitForEnd() {
        #if os(Linux)
        var facts = siginfo_t()
        while isRunning, waitid(P_PID, id_t(processIdentifier), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        // Its end stays there for Foundation, which hears of it on a thread of its own and tells nobody when it has: there
        // is no event to wait for, and it takes microseconds.
        while isRunning { usleep(100) }
        #endif
        // Lets go of its run loop, too, which else keeps the process and its descriptors for ever.
        waitUntilExit()
    }
}
