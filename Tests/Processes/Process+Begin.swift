public import Foundation

extension Process {
    /// Starts the process, and closes this side of its files, because Foundation may keep an ended process with all its
    /// files (seen in Swift 6.3 on Linux). Standard streams stay open.
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

    /// Waits for the end of the process, on any thread. Foundation's own wait may return up to 50 ms late if another
    /// process that this thread started still runs (seen in Swift 6.3 on Linux).
    public func waitForEnd() {
        #if os(Linux)
        var facts = siginfo_t()
        while isRunning, waitid(P_PID, id_t(processIdentifier), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        // The exit status stays for Foundation, which reads it on its own thread and sends no event, so the only way is
        // to poll for some microseconds.
        while isRunning { usleep(100) }
        #endif
        // Also releases its run loop, which would otherwise keep the process and its descriptors forever.
        waitUntilExit()
    }
}
