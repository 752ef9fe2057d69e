import Foundation
import Records
import Reporting
import Synchronization
import Testing

@Suite("The console")
struct ConsoleSinkTests {
    @Test("a blocked load shows the device's lines, then one of ours that explains")
    func blocked() throws {
        let text = try console([SampleLoads.forwardSecrecy(7), SampleLoads.plain()])
        #expect(
            text == """
                Connection 1: encountered error(3:-9802)
                atsgate: blocked https://rsa-kx.lab.test/7 by ats.forward-secrecy (no entry: secure default): \
                origin chose TLS_RSA_WITH_AES_128_GCM_SHA256; fix: Offer an ECDHE suite.; or would \
                free it: NSExceptionDomains "rsa-kx.lab.test": NSExceptionRequiresForwardSecrecy = false

                """)
    }

    @Test("loads that pass have one short line, and only when asked for")
    func verbose() throws {
        let loads = [SampleLoads.plain(), SampleLoads.plain(1, verdict: .outside)]
        #expect(try console(loads) == "")
        #expect(
            try console(loads, isVerbose: true) == """
                atsgate: allowed GET https://api.lab.test/0 200 TLS 1.3 12 ms
                atsgate: outside GET https://api.lab.test/1 12 ms

                """)
    }

    @Test("colours come only when asked for")
    func coloured() throws {
        let plain = try console([SampleLoads.forwardSecrecy()])
        #expect(!plain.contains("\u{1B}"))
        #expect(try console([SampleLoads.forwardSecrecy()], isColoured: true).contains("\u{1B}[31mblocked\u{1B}[0m"))
    }

    @Test("bytes from the network cannot steer the terminal")
    func harmless() throws {
        var record = SampleLoads.forwardSecrecy()
        record.load.path = "/\u{1B}]0;title\u{7}\u{9B}31m\u{202E}x\r\n"
        let text = try console([record])
        #expect(text.contains(#"/\u{1b}]0;title\u{7}\u{9b}31m\u{202e}x\u{d}\u{a} by"#))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }

    @Test("a console that is gone is no error")
    func gone() {
        let sink = ConsoleSink(output: ConsoleWriter(descriptor: -1))
        sink.write([SampleLoads.filed(SampleLoads.forwardSecrecy())])
        sink.close()
    }

    @Test("a pipe that nobody reads delays nothing; what was dropped is told when somebody reads again")
    func unread() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (FileHandle(fileDescriptor: ends[0]), FileHandle(fileDescriptor: ends[1]))
        let sink = ConsoleSink(output: ConsoleWriter(descriptor: ends[1]), isVerbose: true)
        let loads = (0..<1000).map { SampleLoads.filed(SampleLoads.plain($0)) }
        let clock = ContinuousClock()
        let spent = clock.measure {
            for _ in 0..<20 { sink.write(loads) }
            sink.close()
        }
        #expect(spent < .seconds(10))
        let text = Mutex("")
        let isRead = DispatchSemaphore(value: 0)
        let thread = Thread {
            while !text.withLock({ $0.hasSuffix("nobody read them\n") }) {
                let more = reader.availableData
                if more.isEmpty { break }
                text.withLock { $0 += String(decoding: more, as: UTF8.self) }
            }
            isRead.signal()
        }
        thread.start()
        #expect(isRead.wait(timeout: .now() + 20) == .success)
        let lines = text.withLock { $0 }.split(separator: "\n")
        let dropped = lines.last?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        #expect(dropped > 0)
        #expect(lines.dropLast().count + dropped == 20_000)
        try writer.close()
    }

    private func console(_ records: [LoadRecord], isVerbose: Bool = false, isColoured: Bool = false) throws -> String {
        try withFolder { folder in
            let path = folder + "/console"
            try Data().write(to: URL(fileURLWithPath: path))
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            let sink = ConsoleSink(
                output: ConsoleWriter(descriptor: handle.fileDescriptor), isVerbose: isVerbose, isColoured: isColoured)
            sink.write(records.map { SampleLoads.filed($0) })
            sink.close()
            try handle.close()
            return try String(contentsOfFile: path, encoding: .utf8)
        }
    }
}
