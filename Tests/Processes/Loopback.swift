import Foundation

/// Sockets of 127.0.0.1 for peers that say what no library would.
public enum Loopback {
    /// A socket that listens on a free port.
    public static func listener() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, stream, 0)
        guard let port = bound(descriptor, to: 0), listen(descriptor, 16) == 0 else {
            close(descriptor)
            throw Trouble(description: "127.0.0.1 has no free port")
        }
        return (descriptor, port)
    }

    /// Ends a socket, also for whoever waits for it on another thread.
    public static func end(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// A socket that is connected to `port`; nil where nobody listens.
    public static func connection(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, stream, 0)
        let isConnected = withAddress(port) { connect(descriptor, $0, $1) == 0 }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    /// Ports where nobody listens, for servers that have to be told theirs. None that the system hands to clients, or to
    /// who asks for any (those from 32768 on Linux, from 49152 on macOS): such a one may be gone by the time that its
    /// server comes, or comes back.
    public static func freePorts(_ count: Int) throws -> [Int] {
        var found: [Int] = []
        for port in (10_000..<32_000).shuffled() where found.count < count {
            let descriptor = socket(AF_INET, stream, 0)
            defer { close(descriptor) }
            if bound(descriptor, to: port) != nil { found.append(port) }
        }
        guard found.count == count else { throw Trouble(description: "127.0.0.1 has no \(count) free ports") }
        return found
    }

    private static func bound(_ descriptor: Int32, to port: Int) -> Int? {
        guard withAddress(port, { bind(descriptor, $0, $1) == 0 }) else { return nil }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        return isNamed ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif
}
