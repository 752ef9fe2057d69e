import Capture
import Seeded
import Testing
import Text

/// The queries of a command's resolver, and the answers.
@Suite("DNS queries")
struct DNSQuestionTests {
    static func name(_ host: String) -> [UInt8] {
        host.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    static func message(_ name: [UInt8], kind: UInt16 = 1, flags: UInt8 = 1, place: UInt8 = 1) -> [UInt8] {
        [0xAB, 0xCD, flags, 0x20, 0, 1, 0, 0, 0, 0, 0, 0] + name + [UInt8(kind >> 8), UInt8(kind & 0xFF), 0, place]
    }

    private func question(_ message: [UInt8]) throws -> DNSQuestion {
        guard case .question(let question) = DNSQuestion.read(message) else {
            Issue.record("no query: \(DNSQuestion.read(message))")
            throw CancellationError()
        }
        return question
    }

    @Test("a query is read with its type and its name in lower case")
    func read() throws {
        let one = try question(Self.message(Self.name("Shop.Example.COM")))
        #expect(one.host == "shop.example.com" && one.wanted == .version4 && one.isResolvable)
        #expect(try question(Self.message(Self.name("a.test"), kind: 28)).wanted == .version6)
        #expect(try question(Self.message(Self.name("a.test"), kind: 65)).wanted == .other)
    }

    @Test("an answer repeats identifier, recursion and question, and has addresses of the requested version")
    func answer() throws {
        let bytes = Self.message(Self.name("a.test"))
        let addresses = ["192.0.2.1", "2001:db8::1", "192.0.2.2"].compactMap { IPAddress($0) }
        let answer = try question(bytes).answer(addresses)
        #expect(Array(answer.prefix(12)) == [0xAB, 0xCD, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0])
        #expect(Array(answer[12..<bytes.count]) == Array(bytes[12...]))
        let records: [UInt8] = [
            0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 192, 0, 2, 1, 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 192, 0, 2, 2,
        ]
        #expect(Array(answer[bytes.count...]) == records)
        let six = try question(Self.message(Self.name("a.test"), kind: 28)).answer(addresses)
        #expect(six[7] == 1 && Array(six.suffix(16)) == [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1])
    }

    @Test("addresses that do not fit into a datagram are omitted", arguments: [1 as UInt16, 28])
    func bounded(kind: UInt16) throws {
        let long = Self.name((0..<4).map { _ in String(repeating: "a", count: 60) }.joined(separator: "."))
        let addresses = (0..<99).map { kind == 1 ? IPAddress.v4($0) : .v6(UInt128($0)) }
        let answer = try question(Self.message(long, kind: kind)).answer(addresses)
        #expect(answer.count <= 512 && answer.count > 460 && answer[7] > 0)
    }

    @Test("a name with bytes that no host name has is not looked up")
    func strange() throws {
        #expect(try question(Self.message([3, 97, 46, 98, 0])).isResolvable == false)
        #expect(try question(Self.message([2, 0, 255, 0])).isResolvable == false)
        #expect(try question(Self.message([0])).isResolvable == false)
    }

    @Test("a message that is not a query for one internet name gets an error or no answer")
    func others() {
        #expect(DNSQuestion.read([]) == .nothing)
        #expect(DNSQuestion.read(Array(repeating: 0, count: 11)) == .nothing)
        #expect(DNSQuestion.read(Self.message(Self.name("a.test"), flags: 0x81)) == .nothing)
        let cases: [([UInt8], UInt8)] = [
            (Self.message(Self.name("a.test"), flags: 0x10), 4), (Self.message(Self.name("a.test"), place: 3), 5),
            (Self.message([0xC0, 12]), 1), (Self.message([63]), 1), (Array(Self.message([0]).dropLast()), 1),
            (Self.message(Array(repeating: [1, 97], count: 128).flatMap { $0 } + [0]), 1),
        ]
        for (message, code) in cases {
            guard case .answered(let bytes) = DNSQuestion.read(message) else {
                Issue.record("not answered: \(message)")
                continue
            }
            #expect(bytes.count == 12 && bytes[3] & 0x0F == code && bytes[2] & 0x80 != 0 && bytes[0] == 0xAB)
        }
    }

    @Test("reading and answering arbitrary messages stays within bounds")
    func hostile() {
        var dice = SeededGenerator(seed: 25)
        for _ in 0..<20_000 {
            var bytes = Self.message(Self.name("shop.example"), kind: UInt16.random(in: 0...70, using: &dice))
            for _ in 0..<Int.random(in: 0...6, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                bytes[place] = UInt8.random(in: 0...255, using: &dice)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &dice)))
            switch DNSQuestion.read(bytes) {
            case .nothing: break
            case .answered(let answer): #expect(answer.count == 12)
            case .question(let question):
                #expect(question.host.utf8.count <= 255)
                #expect(question.answer([.v4(1), .v6(2)]).count <= 512)
            }
        }
    }
}
