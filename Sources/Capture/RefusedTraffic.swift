import Synchronization

/// Counts the packets of a command that its network refused: datagrams to hosts other than the name server, and
/// connections to ports that are not intercepted. Loopback belongs to the command and does not count.
public final class RefusedTraffic: Sendable {
    /// A refused combination of protocol and port.
    public struct Destination: Hashable, Sendable {
        /// True for UDP, false for TCP.
        public let isDatagram: Bool
        public let port: UInt16

        public init(isDatagram: Bool, port: UInt16) {
            self.isDatagram = isDatagram
            self.port = port
        }
    }

    private let sockets: [DatagramSocket]
    private let tally: Tally

    /// - Parameters:
    ///   - space: its sockets for refused packets are used; without any, nothing is reported.
    ///   - ports: the TCP ports that are intercepted.
    ///   - isNew: called once for each way, on its own queue.
    public init(of space: CaptureSpace, but ports: [UInt16], isNew: @escaping @Sendable (Destination) -> Void) {
        let tally = Tally(ports: Set(ports), isNew: isNew)
        self.tally = tally
        sockets = space.takeRefusalSockets().map { descriptor in
            DatagramSocket(descriptor, longest: Self.longestHead) { packet, _ in tally.note(packet) }
        }
        for socket in sockets { socket.start() }
    }

    /// Stops counting, and returns the number of attempts for each way, the most frequent first.
    public func stop() -> [(way: Destination, count: Int)] {
        for socket in sockets {
            socket.drain()
            socket.stop()
        }
        return counts
    }

    /// The number of attempts so far for each way, the most frequent first.
    package var counts: [(way: Destination, count: Int)] {
        tally.counts.sorted {
            ($1.value, $0.key.isDatagram ? 0 : 1, $0.key.port) < ($0.value, $1.key.isDatagram ? 0 : 1, $1.key.port)
        }.map { (way: $0.key, count: $0.value) }
    }

    /// In bytes: the longest headers before the ports of any packet.
    private static let longestHead = 256
}

extension RefusedTraffic.Destination {
    /// Reads the refused way from a packet of a raw socket; nil for other packets. Offsets: RFC 791 section 3.1, RFC
    /// 792, RFC 8200 section 3, RFC 4443 section 3.1; the ports are the first four bytes of UDP and TCP headers.
    package init?(_ packet: [UInt8]) {
        if packet.first.map({ $0 >> 4 }) == 4 {
            self.init(version4: packet[...])
        } else {
            // An IPv6 raw socket delivers the ICMPv6 message without headers: destination unreachable, port
            // unreachable.
            guard packet.count >= 8, packet[0] == 1, packet[1] == 4 else { return nil }
            self.init(sent: packet.dropFirst(8))
        }
    }

    private init?(version4 packet: ArraySlice<UInt8>) {
        guard packet.count >= 20 else { return nil }
        let message = packet.dropFirst(Int(packet[0] & 0x0F) * 4)
        switch packet[9] {
        case 6 where packet[16] != 127: self.init(message, isDatagram: false)
        // Destination unreachable, port unreachable.
        case 1 where message.count >= 8 && Array(message.prefix(2)) == [3, 3]: self.init(sent: message.dropFirst(8))
        default: return nil
        }
    }

    /// - Parameter packet: the refused packet, or its beginning.
    private init?(sent packet: ArraySlice<UInt8>) {
        let bytes = Array(packet)
        switch bytes.first.map({ $0 >> 4 }) {
        case 4 where bytes.count >= 20 && bytes[9] == 17 && bytes[16] != 127:
            self.init(bytes.dropFirst(Int(bytes[0] & 0x0F) * 4), isDatagram: true)
        case 6 where bytes.count >= 40 && bytes[6] == 17 && bytes[24..<40].dropLast().contains { $0 != 0 }:
            self.init(bytes.dropFirst(40), isDatagram: true)
        default: return nil
        }
    }

    private init?(_ header: ArraySlice<UInt8>, isDatagram: Bool) {
        let bytes = Array(header.prefix(4))
        guard bytes.count == 4 else { return nil }
        self.init(isDatagram: isDatagram, port: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    }
}

/// The counts so far.
private final class Tally: Sendable {
    private let state = Mutex<[RefusedTraffic.Destination: Int]>([:])
    private let ports: Set<UInt16>
    private let isNew: @Sendable (RefusedTraffic.Destination) -> Void

    init(ports: Set<UInt16>, isNew: @escaping @Sendable (RefusedTraffic.Destination) -> Void) {
        self.ports = ports
        self.isNew = isNew
    }

    var counts: [RefusedTraffic.Destination: Int] { state.withLock { $0 } }

    func note(_ packet: [UInt8]) {
        guard let way = RefusedTraffic.Destination(packet), way.isDatagram || !ports.contains(way.port) else { return }
        let isFirst = state.withLock { counts in
            guard counts[way] != nil || counts.count < Self.most else { return false }
            counts[way, default: 0] += 1
            return counts[way] == 1
        }
        if isFirst { isNew(way) }
    }

    /// The maximum number of ways counted, so that a port scan adds no more.
    private static let most = 64
}
