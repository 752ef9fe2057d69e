import Foundation
import Records
import Reporting
import Testing

@Suite("The console")
struct ConsoleSinkTests {
    @Test("a blocked load shows the device's lines, then one of ours that explains")
    func blocked() throws {
        let text = try console([SampleLoads.forwardSecrecy(7), SampleLoads.plain()])
        let keyPath = "NSAppTransportSecurity.NSExceptionDomains.rsa-kx.lab.test.NSExceptionRequiresForwardSecrecy"
        #expect(
            text == """
                Connection 1: encountered error(3:-9802)
                atsgate: blocked https://rsa-kx.lab.test/7 by ats.forward-secrecy (\(keyPath)): \
                origin chose TLS_RSA_WITH_AES_128_GCM_SHA256; fix: Offer an ECDHE suite.; or \
                NSExceptionDomains "rsa-kx.lab.test": NSExceptionRequiresForwardSecrecy = false

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
        ConsoleSink(descriptor: -1).write([SampleLoads.filed(SampleLoads.forwardSecrecy())])
    }

    private func console(_ records: [LoadRecord], isVerbose: Bool = false, isColoured: Bool = false) throws -> String {
        try withFolder { folder in
            let path = folder + "/console"
            try Data().write(to: URL(fileURLWithPath: path))
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            let sink = ConsoleSink(
                descriptor: handle.fileDescriptor, isVerbose: isVerbose, isColoured: isColoured)
            sink.write(records.map { SampleLoads.filed($0) })
            try handle.close()
            return try String(contentsOfFile: path, encoding: .utf8)
        }
    }
}
