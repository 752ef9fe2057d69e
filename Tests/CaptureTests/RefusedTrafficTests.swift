import Capture
import Seeded
import Testing

/// Packets that show which traffic was refused.
@Suite("refused traffic")
struct RefusedTrafficTests {
    /// An IPv4 header with the given number of option words and first byte of the destination.
    private func header(_ kind: UInt8, to first: UInt8, options: Int = 0) -> [UInt8] {
        [0x45 + UInt8(options), 0, 0, 0, 0, 0, 0, 0, 64, kind, 0, 0, 192, 0, 2, 1, first, 0, 2, 9]
            + [UInt8](repeating: 1, count: options * 4)
    }

    private func ports(_ port: UInt16) -> [UInt8] { [0x30, 0x39, UInt8(port >> 8), UInt8(port & 0xFF)] }

    @Test("ICMP reports a datagram to a closed port", arguments: [0, 2])
    func datagram(options: Int) {
        let packet =
            header(1, to: 192, options: options) + [3, 3, 0, 0, 0, 0, 0, 0] + header(17, to: 203, options: options)
            + ports(443)
        #expect(RefusedTraffic.Destination(packet) == RefusedTraffic.Destination(isDatagram: true, port: 443))
        let address = [UInt8](repeating: 0, count: 15) + [1]
        func sixth(_ to: [UInt8]) -> [UInt8] {
            [1, 4, 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0, 0, 0, 17, 64] + address + to + ports(853)
        }
        #expect(RefusedTraffic.Destination(sixth([0x20] + address.dropFirst())) == .init(isDatagram: true, port: 853))
        #expect(RefusedTraffic.Destination(sixth(address)) == nil)
    }

    @Test("a TCP packet is recognized; loopback, other messages and other protocols are not")
    func others() {
        #expect(RefusedTraffic.Destination(header(6, to: 203) + ports(8_080)) == .init(isDatagram: false, port: 8_080))
        func message(_ code: UInt8, _ kind: UInt8, to first: UInt8) -> [UInt8] {
            header(1, to: 192) + [3, code, 0, 0, 0, 0, 0, 0] + header(kind, to: first) + ports(9)
        }
        for packet in [
            header(6, to: 127) + ports(80), message(1, 17, to: 203), message(3, 17, to: 127), message(3, 6, to: 203),
            header(17, to: 203) + ports(9), [],
        ] {
            #expect(RefusedTraffic.Destination(packet) == nil, "\(packet)")
        }
    }

    @Test("truncated and arbitrary packets never trap")
    func any() {
        let whole = header(1, to: 192) + [3, 3, 0, 0, 0, 0, 0, 0] + header(17, to: 203) + ports(443)
        for count in 0..<whole.count { #expect(RefusedTraffic.Destination(Array(whole.prefix(count))) == nil) }
        for first in UInt8.min...UInt8.max {
            for count in 0..<64 { _ = RefusedTraffic.Destination([UInt8](repeating: first, count: count)) }
        }
    }
}
