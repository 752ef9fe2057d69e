import Foundation

/// Sockets of 127.0.0.1 for peers that send what no library would.
public enum Loopback {
    /// A listening socket on a free port.
    public static func listener() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, stream, 0)
        guard let port = bound(descriptor, to: 0), listen(descriptor, 16) == 0 else {
            close(descriptor)
            throw TestFailure(description: "127.0.0.1 has no free port")
        }
        return (descriptor, port)
    }

    /// Closes a socket, and wakes threads that wait for it.
    public static func end(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// A socket connected to `port`; nil if no process listens.
    public static func connection(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, stream, 0)
        let isConnected = withAddress(port) { connect(descriptor, $0, $1) == 0 }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    /// Unused ports, for servers that need a fixed one. They are below the range from which the system assigns ports
    /// (from 32768 on Linux, from 49152 on macOS), where a port may be taken before its server starts or restarts.
    public static func freePorts(_ count: Int) throws -> [Int] {
        var found: [Int] = []
        for port in (10_000..<32_000).shuffled() where found.count < count {
            let descriptor = socket(AF_INET, stream, 0)
            defer { close(descriptor) }
            if bound(descriptor, to: port) != nil { found.append(port) }
        }
        guard found.count == count else { throw TestFailure(description: "127.0.0.1 has no \(count) free ports") }
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
