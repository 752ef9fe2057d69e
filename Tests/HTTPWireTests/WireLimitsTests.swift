import HTTPWire
import Testing

struct WireLimitsTests {
    @Test func headOfExactlyTheLimitPassesAndOneMoreByteDoesNot() {
        let head = wire("GET / HTTP/1.1|Host: a||")
        var limits = WireLimits()
        limits.headBytes = head.count
        #expect(Transcript.of(head, limits: limits).error == nil)
        limits.headBytes = head.count - 1
        #expect(Transcript.of(head, limits: limits).error == .headTooLarge)
        let ones = [Int](repeating: 1, count: head.count)
        #expect(Transcript.of(head, pieces: ones, limits: limits).error == .headTooLarge)
    }

    @Test func endlessHeadIsCutOffAtTheLimit() {
        let bytes = wire("GET / HTTP/1.1|X: ") + [UInt8](repeating: 0x61, count: 70_000)
        #expect(Transcript.of(bytes).error == .headTooLarge)
    }

    @Test func fieldCountIsLimited() {
        var limits = WireLimits()
        limits.fieldCount = 3
        #expect(Transcript.of(wire("GET / HTTP/1.1|Host: a|X: 1|X: 2||"), limits: limits).error == nil)
        #expect(Transcript.of(wire("GET / HTTP/1.1|Host: a|X: 1|X: 2|X: 3||"), limits: limits).error == .tooManyFields)
        let chunked = "POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||0|"
        #expect(Transcript.of(wire(chunked + "X: 1|X: 2|X: 3||"), limits: limits).error == nil)
        #expect(Transcript.of(wire(chunked + "X: 1|X: 2|X: 3|X: 4||"), limits: limits).error == .tooManyFields)
    }

    @Test("options of Connection and protocols of Upgrade count as fields", arguments: ["Connection", "Upgrade"])
    func optionsCountAsFields(name: String) {
        var limits = WireLimits()
        limits.fieldCount = 4
        for (list, isWithin) in [("a, b, c", true), ("a, b, c, d", false), (",,", true), (",,,", false)] {
            let head = "Host: a|\(name): \(list)||"
            let request = Transcript.of(wire("GET / HTTP/1.1|" + head), limits: limits).error
            #expect((request == nil) == isWithin && [nil, .tooManyFields].contains(request), "\(list)")
            let answer = wire("HTTP/1.1 204 No Content|" + head)
            let response = Transcript.of(answer, limits: limits, responsesTo: [.get]).error
            #expect((response == nil) == isWithin && [nil, .tooManyFields].contains(response), "\(list)")
            let chunked = "POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||0|"
            let trailers = Transcript.of(wire(chunked + "X: a|" + head.dropFirst(8)), limits: limits).error
            #expect((trailers == nil) == isWithin && [nil, .tooManyFields].contains(trailers), "\(list)")
        }
    }

    @Test("options on several lines count together")
    func optionsOfSeveralLines() {
        var limits = WireLimits()
        limits.fieldCount = 7
        for (last, isWithin) in [("e, f", true), ("e, f, g", false)] {
            let head = "GET / HTTP/1.1|Connection: a, b|Host: a|Upgrade: c, d|Connection: \(last)||"
            #expect(Transcript.of(wire(head), limits: limits).error == (isWithin ? nil : .tooManyFields))
        }
    }

    @Test("thousands of options end at the limit, on one line or on many")
    func thousandsOfOptions() {
        let members = Array(repeating: "a", count: 200).joined(separator: ",")
        for name in ["Connection", "Upgrade"] {
            let many = wire("GET / HTTP/1.1|Host: a|" + String(repeating: "\(name): \(members)|", count: 120) + "|")
            #expect(Transcript.of(many).error == .tooManyFields)
            let one = wire("GET / HTTP/1.1|Host: a|\(name): " + String(repeating: "a,", count: 9_000) + "||")
            #expect(Transcript.of(one).error == .tooManyFields)
        }
    }

    @Test func chunkExtensionsOfAllChunksCountTogether() {
        var limits = WireLimits()
        limits.chunkExtensionBytes = 4
        let head = "POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||"
        #expect(Transcript.of(wire(head + "1;ab|x|1;ab|x|0||"), limits: limits).error == nil)
        #expect(Transcript.of(wire(head + "1;ab|x|1;abc|x|0||"), limits: limits).error == .chunkExtensionTooLong)
        #expect(Transcript.of(wire(head + "1;abcd|x|0||" + head + "1;abcd|x|0||"), limits: limits).error == nil)
    }

    @Test("the interim responses of one response are limited in number and bytes, separately for each response")
    func interimHeads() {
        var limits = WireLimits()
        limits.interimHeads = 2
        let interim = "HTTP/1.1 103 Early Hints|Link: </a>||"
        let final = "HTTP/1.1 204 No Content||"
        let fine = wire(interim + interim + final)
        #expect(Transcript.of(fine + fine, limits: limits, responsesTo: [.get, .get]).error == nil)
        let many = wire(interim + interim + interim + final)
        #expect(Transcript.of(many, limits: limits, responsesTo: [.get]).error == .tooManyInterimHeads)
        limits.interimHeadBytes = 2 * wire(interim).count
        #expect(Transcript.of(fine, limits: limits, responsesTo: [.get]).error == nil)
        limits.interimHeadBytes -= 1
        let ones = [Int](repeating: 1, count: fine.count)
        #expect(Transcript.of(fine, pieces: ones, limits: limits, responsesTo: [.get]).error == .tooManyInterimHeads)
    }

    @Test("an endless sequence of interim responses ends at the limit, regardless of their size")
    func endlessInterimHeads() {
        for value in ["", String(repeating: "x", count: 60_000)] {
            let head = "HTTP/1.1 103 Early Hints|X: \(value)||"
            let transcript = Transcript.of(wire(String(repeating: head, count: 100)), responsesTo: [.get])
            #expect(transcript.error == .tooManyInterimHeads)
        }
    }

    @Test(arguments: [
        (WireError.headTooLarge, 431), (.tooManyFields, 431), (.trailersTooLarge, 431), (.badVersion, 505),
        (.unknownTransferCoding, 501), (.bothLengthAndChunked, 400), (.missingHost, 400),
    ])
    func errorHasItsStatus(error: WireError, status: Int) {
        #expect(error.status == status)
    }

    @Test(arguments: WireError.allCases)
    func errorHasItsOwnSentence(error: WireError) {
        #expect(error.sentence.hasSuffix("."))
        #expect(WireError.allCases.filter { $0.sentence == error.sentence } == [error])
    }
}
