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
}
