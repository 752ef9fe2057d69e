import CPoll
import Foundation
import NetLoop
import Testing

@Suite("notifications to a service manager") struct ServiceManagerTests {
    /// A socket at its own path, in the role of a manager.
    private final class NotifySocket {
        let path: String
        let descriptor: Int32

        init() throws {
            path = FileManager.default.temporaryDirectory.path + "/atsgate-\(UInt32.random(in: 0...UInt32.max))"
            #if canImport(Darwin)
            descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
            #else
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            #endif
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0)
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        /// The next datagram; nil if none has arrived.
        var next: String? {
            var bytes = [UInt8](repeating: 0, count: 1_000)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    @Test("the manager is notified when clients can connect and when they no longer can; a status is one line")
    func news() throws {
        let ear = try NotifySocket()
        let manager = try #require(ServiceManager(in: ["NOTIFY_SOCKET": ear.path]))
        try manager.notify(.ready("listening on\n127.0.0.1:1"))
        try manager.notify(.stopping(within: .seconds(70)))
        let first = try #require(ear.next)
        #expect(first.hasPrefix("READY=1\nSTATUS=listening on") && first.filter(\.isNewline).count == 1)
        #expect(ear.next == "STOPPING=1\nEXTEND_TIMEOUT_USEC=70000000")
        #expect(ear.next == nil)
    }

    @Test("a reload carries the monotonic time in microseconds, and a watchdog ping is one word")
    func reloading() throws {
        let ear = try NotifySocket()
        let manager = try #require(ServiceManager(in: ["NOTIFY_SOCKET": ear.path]))
        // Not DispatchTime, which on macOS is another clock.
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let before = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        try manager.notify(.reloading)
        let words = try #require(ear.next).split(separator: "\n")
        #expect(words.first == "RELOADING=1" && words.count == 2)
        let time = words.last.flatMap { UInt64($0.replacing("MONOTONIC_USEC=", with: "")) }
        #expect(try #require(time) >= before)
        try manager.notify(.alive)
        #expect(ear.next == "WATCHDOG=1")
    }

    @Test(
        "the watchdog period is read in microseconds, for one process",
        arguments: [
            (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
            (["WATCHDOG_USEC": "500", "WATCHDOG_PID": "7"], .microseconds(500)),
            (["WATCHDOG_USEC": "500", "WATCHDOG_PID": "8"], nil), ([:], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "often"], nil),
        ] as [([String: String], Duration?)])
    func watchdog(environment: [String: String], period: Duration?) throws {
        let all = environment.merging(["NOTIFY_SOCKET": "/run/x"]) { $1 }
        let manager = try #require(ServiceManager(in: all, process: 7))
        #expect(manager.watchdogPeriod == period)
    }

    @Test("without NOTIFY_SOCKET there is no service manager", arguments: [[:], ["NOTIFY_SOCKET": ""]])
    func nobody(environment: [String: String]) {
        #expect(ServiceManager(in: environment) == nil)
    }

    @Test(
        "an unusable socket address is an error",
        arguments: [
            ("/nowhere/at-all", ENOENT), ("vsock:2:1", EAFNOSUPPORT),
            ("/" + String(repeating: "a", count: 200), ENAMETOOLONG),
        ])
    func noSocket(path: String, code: Int32) throws {
        let manager = try #require(ServiceManager(in: ["NOTIFY_SOCKET": path]))
        #expect(throws: NetError.system(call: "notifying the service manager", errno: code)) {
            try manager.notify(.stopping(within: .zero))
        }
    }
}
