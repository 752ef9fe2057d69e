import Foundation
import Testing

@Suite("core files", .timeLimit(.minutes(5)))
struct CoreDumpTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    #if os(Linux)
    /// The soft limit, as shown in proc(5).
    private func limit(_ options: [String: String]) throws -> String? {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--store", "none", "--web", "off", "--port-file", "port"], in: folder,
            environment: options)
        defer { _ = gate.stop() }
        try #require(gate.waits { !folder.read("port").isEmpty })
        let limits = try String(contentsOfFile: "/proc/\(gate.processID)/limits", encoding: .utf8)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        return line?.split(separator: " ").dropFirst(4).first.map(String.init)
    }

    @Test("a gate leaves no core file, because its memory holds the CA key, unless a variable requests one")
    func refused() throws {
        var own = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &own) == 0)
        let (low, high) = (own.rlim_cur, own.rlim_max)
        // Child processes inherit it.
        own.rlim_cur = high
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &own) == 0)
        defer {
            own.rlim_cur = low
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &own)
        }
        #expect(try limit([:]) == "0")
        if high != 0 { #expect(try limit(["ATSGATE_CORE_DUMPS": "1"]) != "0") }
    }
    #endif

    @Test("the command of run has the limit with which atsgate was started", arguments: ["0", "8"])
    func inherited(blocks: String) throws {
        let script = "ulimit -c \(blocks) && exec \(Binary.path) run --allow-no-loads -q -- sh -c 'ulimit -c' > limit"
        #expect(try Binary.tool(["sh", "-c", "cd \(folder.url.path) && export HOME=$PWD && " + script]) == 0)
        #expect(folder.read("limit") == blocks + "\n")
    }
}
