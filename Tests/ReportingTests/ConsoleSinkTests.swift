import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Synchronization
import TestSupport
import Testing

@Suite("The console")
struct ConsoleSinkTests {
    @Test("a load is one line, and the first of a host and rule has its cause and fix below")
    func blocked() throws {
        #expect(
            try console([SampleLoads.forwardSecrecy(7), SampleLoads.plain()]) == """
                04:05:06  blocked  ats.forward-secrecy  -1200 [3:-9802]  https://rsa-kx.lab.test/7
                          why   origin chose TLS_RSA_WITH_AES_128_GCM_SHA256 (no entry: secure default)
                          fix   Offer an ECDHE suite.
                          or    in Info.plist: NSExceptionDomains "rsa-kx.lab.test": \
                NSExceptionRequiresForwardSecrecy = false
                                <key>NSAppTransportSecurity</key>
                                <dict>
                                  <key>NSExceptionDomains</key>
                                  <dict>
                                    <key>rsa-kx.lab.test</key>
                                    <dict>
                                      <key>NSExceptionRequiresForwardSecrecy</key>
                                      <false/>
                                    </dict>
                                  </dict>
                                </dict>
                04:05:06  allowed  200  TLS 1.3  12 ms  https://api.lab.test/0

                """)
    }

    @Test("a host and rule are explained once, however many loads they have")
    func explainedOnce() throws {
        let loads = (0..<5).map { SampleLoads.forwardSecrecy($0 * 1000) }
        let text = try console(loads)
        #expect(text.components(separatedBy: "why ").count == 2)
        #expect(text.components(separatedBy: "  blocked  ").count == 6)
    }

    @Test("equal loads of a second are one line with their number, and the next second has its own")
    func folded() throws {
        let equal = (0..<50).map { _ in SampleLoads.plain() }
        #expect(try console(equal) == "04:05:06  allowed  200  TLS 1.3  12 ms  https://api.lab.test/0  x50\n")
        let others = [SampleLoads.plain(1), SampleLoads.plain(2), SampleLoads.plain(1000)]
        #expect(
            try console(others) == """
                04:05:06  allowed  200  TLS 1.3  12 ms  https://api.lab.test/1  x2, several URLs
                04:05:07  allowed  200  TLS 1.3  12 ms  https://api.lab.test/1000

                """)
    }

    @Test("loads with another status are another line")
    func statuses() throws {
        var missing = SampleLoads.plain(1)
        missing.status = 404
        #expect(
            try console([SampleLoads.plain(), missing, SampleLoads.plain()]) == """
                04:05:06  allowed  200  TLS 1.3  12 ms  https://api.lab.test/0  x2
                04:05:06  allowed  404  TLS 1.3  12 ms  https://api.lab.test/1

                """)
    }

    @Test("a line has the device's code, and the app's if it differs")
    func twoNumbers() throws {
        var record = SampleLoads.forwardSecrecy()
        record.client = RecordedClient(address: "", label: "phone", userAgent: nil, loader: .app, os: "ios26")
        for (shown, words) in [
            (ShownError(style: .untrustedLeaf, code: -1200, streamErrorCode: -9801), "the app saw -1200 [3:-9801]"),
            (ShownError(style: .noTunnel, code: 310, streamErrorCode: -2096), "the app saw 310 [4:-2096]"),
            (ShownError(style: .noTunnel), "the app saw a proxy error"),
        ] {
            record.shown = shown
            let start = "04:05:06  phone  blocked  ats.forward-secrecy  -1200 [3:-9802], \(words)  https://"
            #expect(try console([record]).hasPrefix(start))
        }
        record.status = 403
        record.shown = ShownError(style: .page)
        #expect(try console([record]).contains(", the app saw HTTP status 403  https://"))
    }

    @Test("with apple the device's own lines come first; with none there are no lines")
    func styles() throws {
        let load = SampleLoads.forwardSecrecy()
        #expect(try console([load], .apple).hasPrefix("Connection 1: encountered error(3:-9802)\n04:05:06  blocked"))
        #expect(try console([load], .none).isEmpty)
    }

    @Test("colours are printed only on request")
    func coloured() throws {
        #expect(!(try console([SampleLoads.forwardSecrecy()])).contains("\u{1B}"))
        let text = try console([SampleLoads.forwardSecrecy()], isColoured: true)
        #expect(text.contains("  \u{1B}[31mblocked\u{1B}[0m  \u{1B}[1mats.forward-secrecy\u{1B}[0m  "))
    }

    @Test("on a narrow terminal the URL has its own line, and no word is broken", arguments: [40, 60])
    func narrow(width: Int) throws {
        let text = try console([SampleLoads.forwardSecrecy()], width: width)
        #expect(text.contains("-1200 [3:-9802]\n          https://rsa-kx.lab.test/0\n"))
        // XML is pasted, so its lines are whole at every width.
        let (plist, words) = text.split(separator: "\n").filter { $0.contains("          ") }
            .reduce(into: ([String](), [String]())) { lines, line in
                let content = line.drop { $0 == " " }
                if content.hasPrefix("<") { lines.0.append(String(content)) } else { lines.1.append(String(line)) }
            }
        #expect(words.filter { !$0.contains("TLS_RSA") }.allSatisfy { $0.count <= max(width, 52) }, "\(text)")
        #expect(
            plist.contains("<key>NSExceptionRequiresForwardSecrecy</key>") && plist.allSatisfy { $0.hasSuffix(">") })
    }

    @Test("a terminal has a status line, which every line replaces and the end removes")
    func status() throws {
        let loads = [SampleLoads.forwardSecrecy(), SampleLoads.plain(), SampleLoads.unreachable()]
        let status = "3 loads, 1 allowed, 1 blocked on 1 host, 1 failed"
        try withFolder { folder in
            let path = folder + "/console"
            try Data().write(to: URL(fileURLWithPath: path))
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            let writer = ConsoleWriter(descriptor: handle.fileDescriptor)
            let printer = LoadPrinter(ConsoleTerminal(writer, width: 200), style: .short)
            printer.add(loads)
            printer.printCollected()
            writer.flush()
            #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("\n" + status))
            writer.write("another line\n")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.hasSuffix(status + "\r\u{1B}[Kanother line\n" + status))
            printer.end()
            #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix(status + "\r\u{1B}[K"))
            try handle.close()
        }
    }

    @Test("bytes from the network cannot control the terminal")
    func harmless() throws {
        var record = SampleLoads.forwardSecrecy()
        record.load.path = "/\u{1B}]0;title\u{7}\u{9B}31m\u{202E}x\r\n"
        let text = try console([record])
        #expect(text.contains(#"/\u{1b}]0;title\u{7}\u{9b}31m\u{202e}x\u{d}\u{a}"# + "\n"))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }

    @Test("a closed console is not an error")
    func gone() {
        let sink = ConsoleSink(ConsoleTerminal(ConsoleWriter(descriptor: -1)))
        sink.write([SampleLoads.filed(SampleLoads.forwardSecrecy())])
        sink.close()
    }

    @Test("an unread pipe delays nothing, and the dropped lines are reported when it is read again")
    func unread() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (input, writer) = (ends[0], FileHandle(fileDescriptor: ends[1]))
        let console = ConsoleWriter(descriptor: ends[1])
        let line = String(repeating: "x", count: 60) + "\n"
        let clock = ContinuousClock()
        let spent = clock.measure {
            for _ in 0..<20_000 { console.offer(line) }
            console.flush()
        }
        #expect(spent < .seconds(60))
        let text = Mutex("")
        let isRead = DispatchSemaphore(value: 0)
        let thread = Thread {
            let reader = FileHandle(fileDescriptor: input)
            while !text.withLock({ $0.hasSuffix("lines: output is too slow\n") }) {
                let more = reader.availableData
                if more.isEmpty { break }
                text.withLock { $0 += String(decoding: more, as: UTF8.self) }
            }
            isRead.signal()
        }
        thread.start()
        #expect(isRead.wait(timeout: .now() + 60) == .success)
        let lines = text.withLock { $0 }.split(separator: "\n")
        let dropped = lines.last?.split(separator: " ").dropFirst(2).first.flatMap { Int($0) } ?? 0
        #expect(dropped > 0)
        #expect(lines.dropLast().count + dropped == 20_000)
        try writer.close()
    }

    @Test("loads beyond the limit are counted, and writers do not wait for the console")
    func crowd() throws {
        let loads = (0..<1000).map { SampleLoads.filed(SampleLoads.plain($0, host: "\($0).lab.test")) }
        let text = try withConsole(.short) { sink in
            for _ in 0..<1000 { sink.write(loads) }
        }
        #expect(text.contains(" loads were not shown (too many at once)"))
    }

    private func console(
        _ records: [LoadRecord], _ style: ConsoleStyle = .short, isColoured: Bool = false, width: Int? = nil
    ) throws -> String {
        try withConsole(style, isColoured: isColoured, width: width) { $0.write(records.map { SampleLoads.filed($0) }) }
    }

    private func withConsole(
        _ style: ConsoleStyle, isColoured: Bool = false, width: Int? = nil, _ body: (ConsoleSink) -> Void
    ) throws -> String {
        try withFolder { folder in
            let path = folder + "/console"
            try Data().write(to: URL(fileURLWithPath: path))
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            let terminal = ConsoleTerminal(
                ConsoleWriter(descriptor: handle.fileDescriptor), isColoured: isColoured, width: width)
            let sink = ConsoleSink(terminal, style: style)
            body(sink)
            sink.close()
            try handle.close()
            return try String(contentsOfFile: path, encoding: .utf8)
        }
    }
}
