import ATSPolicy
import Files
import TLSEngine
import TestSupport
import Testing

@Suite("lists of logs")
struct LogListTests {
    private let folder: Folder

    init() throws { folder = try Folder(isPrivate: true) }

    private func logs(_ text: String) throws -> TransparencyLogs {
        try TransparencyLogs(path: folder.write(text, to: "logs"))
    }

    /// The fault of a broken file; nil if it is valid.
    private func fault(_ text: String) throws -> TransparencyLogsError.Fault? {
        let path = try folder.write(text, to: "logs")
        do {
            _ = try TransparencyLogs(path: path)
            return nil
        } catch TransparencyLogsError.malformed(path: path, let fault) {
            return fault
        }
    }

    @Test("the JSON list is read with its tiled logs and its time; a repeated log counts once")
    func json() throws {
        let (first, second) = (try LogIdentity(), try LogIdentity())
        let list = try logs(" \n" + LogFile.json([(first, "usable"), (first, "usable")], tiled: [second]))
        #expect(list.count == 2)
        #expect(list.listTime == now - day)
        #expect(try logs(LogFile.json([(first, "usable")], time: "2026-11-19T00:00:00.250Z")).listTime == now - day)
    }

    @Test("OpenSSL's own format is read, and has no time")
    func configuration() throws {
        let list = try logs(LogFile.configuration([try LogIdentity(), try LogIdentity()]))
        #expect(list.count == 2)
        #expect(list.listTime == nil)
    }

    @Test("a disabled section is not read")
    func disabled() throws {
        #expect(try logs(LogFile.configuration([try LogIdentity()]) + "[other]\nkey = nonsense\n").count == 1)
    }

    @Test("a missing file and a folder are reported with their reasons")
    func unreadable() throws {
        // ENOENT, EISDIR.
        #expect(throws: TransparencyLogsError.unreadable(path: folder.path + "/none", .system(errno: 2))) {
            try TransparencyLogs(path: folder.path + "/none")
        }
        #expect(throws: TransparencyLogsError.unreadable(path: folder.path, .directory)) {
            try TransparencyLogs(path: folder.path)
        }
    }

    @Test("a broken JSON list is refused with the position of the fault")
    func brokenJSON() throws {
        let (log, other) = (try LogIdentity(), try LogIdentity())
        let good = LogFile.json([(other, "usable"), (log, "usable")])
        let mixed = good.replacing(log.idBase64, with: other.idBase64)
        #expect(try fault(mixed)?.place == "operators[0].logs[1].log_id")
        let key = good.replacing(log.keyBase64, with: "AAAA")
        #expect(try fault(key)?.place == "operators[0].logs[1].key")
        let state = LogFile.json([(other, "usable"), (log, "splendid")])
        #expect(try fault(state)?.place == "operators[0].logs[1].state")
        let time = LogFile.json([(log, "retired yesterday")])
        #expect(try fault(time)?.place == "operators[0].logs[0].state.retired.timestamp")
        #expect(try fault(LogFile.json([(log, "usable")], time: "today"))?.place == "log_list_timestamp")
        #expect(try fault(good.replacing("\"log_id\"", with: "\"id\""))?.place == "operators[0].logs[0].log_id")
        #expect(try fault(good.replacing("\"name\": \"Example\"", with: "\"name\": 1"))?.place == "operators[0].name")
        #expect(try fault("{}")?.place == "operators")
    }

    @Test("invalid JSON is refused with a line or character number")
    func syntax() throws {
        let fault = try fault("{\n\"operators\": [\n}")
        #expect(fault?.what.contains(where: \.isNumber) == true, "\(String(describing: fault))")
    }

    @Test("a list without logs is refused, because every timestamp would be of an unknown log")
    func empty() throws {
        for text in ["{\"operators\": []}", LogFile.json([]), "enabled_logs = \n"] {
            #expect(try fault(text)?.what == "the list is empty", "\(text)")
        }
    }

    @Test("a broken configuration is refused with line or section")
    func brokenConfiguration() throws {
        #expect(try fault("")?.place == "enabled_logs")
        #expect(try fault("enabled_logs = a\n[a\n")?.place == "line 2")
        #expect(try fault("enabled_logs = a\nwhat is this\n")?.place == "line 2")
        #expect(try fault("enabled_logs = a, b\n[a]\nkey = AAAA\n")?.place == "[a] key")
        let good = LogFile.configuration([try LogIdentity()])
        #expect(try fault(good.replacing("log0\n", with: "log0, log9\n"))?.place == "[log9]")
        #expect(try fault(good.replacing("key =", with: "clef ="))?.place == "[log0]")
    }

    @Test("a list with any one byte changed is a list or a fault, never a trap")
    func damaged() throws {
        let good = Array(LogFile.json([(try LogIdentity(), "retired")]).utf8)
        for text in [good, Array(LogFile.configuration([try LogIdentity()]).utf8)] {
            for position in text.indices {
                var bytes = text
                bytes[position] = bytes[position] == UInt8(ascii: "]") ? UInt8(ascii: "[") : UInt8(ascii: "]")
                let path = try folder.write(String(decoding: bytes, as: UTF8.self), to: "damaged")
                _ = try? TransparencyLogs(path: path)
            }
        }
    }
}
