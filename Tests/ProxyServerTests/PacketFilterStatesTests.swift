import NetLoop
import ProxyServer
import Testing

/// The output of `pfctl -s state` on macOS. The lines follow recorded ones, with addresses for documentation:
/// mitmproxy/mitmproxy, test/mitmproxy/data/pf01; issue 2594 for the one of a translated client.
@Suite("states of pf")
struct PacketFilterStatesTests {
    private static let recorded = """
        No ALTQ support in kernel
        ALTQ related functions disabled
        ALL tcp 192.168.1.111:40001 -> 192.0.2.6:80       FIN_WAIT_2:FIN_WAIT_2
        ALL tcp 127.0.0.1:9902 <- 192.0.2.6:80 <- 192.168.1.111:40001       FIN_WAIT_2:FIN_WAIT_2
        ALL tcp 192.168.1.111:40000 -> 192.0.2.5:80       ESTABLISHED:ESTABLISHED
        ALL tcp 127.0.0.1:9902 <- 192.0.2.5:80 <- 192.168.1.111:40000       ESTABLISHED:ESTABLISHED
        ALL tcp 127.0.0.1:9902 <- 192.0.2.7:443 <- 192.168.1.111:4000       ESTABLISHED:FIN_WAIT_2
        ALL tcp 192.168.2.5:45670 -> 198.51.100.2:33291 -> 192.0.2.9:443       ESTABLISHED:ESTABLISHED
        ALL udp 127.0.0.1:9902 <- 192.0.2.9:443 <- 192.168.2.5:45670       ESTABLISHED:ESTABLISHED
        ALL tcp ::1[9902] <- 2001:db8:f21f:c5::167[443] <- 2001:db8:50f0::f3db[40002]       ESTABLISHED:ESTABLISHED
        ALL tcp ::1[6970] <- 2001:db8:f21f:c5::167[443] <- 2001:db8:50f0::f3db[40003]       FIN_WAIT_2:FIN_WAIT_2
        """

    private func wanted(_ client: String, port: UInt16 = 9902, in listing: String = recorded) throws -> String? {
        try PacketFilterStates(listing).wanted(by: #require(SocketAddress(client)), ledTo: port)?.description
    }

    @Test("a redirected client is found by its address and port, for IPv4 and IPv6")
    func found() throws {
        #expect(try wanted("192.168.1.111:40000") == "192.0.2.5:80")
        #expect(try wanted("192.168.1.111:4000") == "192.0.2.7:443")
        #expect(try wanted("[2001:db8:50f0:0::f3db]:40002") == "[2001:db8:f21f:c5::167]:443")
    }

    @Test("an ended, differently redirected, unredirected or missing connection is not found")
    func absent() throws {
        #expect(try wanted("192.168.1.111:40001") == nil)
        #expect(try wanted("192.168.1.111:40000", port: 9903) == nil)
        #expect(try wanted("192.168.2.5:45670") == nil)
        #expect(try wanted("[2001:db8:50f0::f3db]:40003", port: 6970) == nil)
        #expect(try wanted("192.168.1.11:40000") == nil)
        #expect(try wanted("192.168.1.111:40000", in: "") == nil)
    }

    @Test("a repeated line is one answer, but two addresses are none, even if a repetition follows")
    func ambiguous() throws {
        let line = "ALL tcp 127.0.0.1:9902 <- 192.0.2.5:80 <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED\n"
        #expect(try wanted("192.168.1.111:40000", in: line + line) == "192.0.2.5:80")
        let other = line.replacing("192.0.2.5", with: "192.0.2.6")
        #expect(try wanted("192.168.1.111:40000", in: line + other) == nil)
        #expect(try wanted("192.168.1.111:40000", in: line + other + line) == nil)
    }

    @Test(
        "a malformed line is ignored",
        arguments: [
            "ALL tcp 127.0.0.1:9902 <- 192.0.2.5:80 <- 192.168.1.111:40000",
            "ALL tcp 127.0.0.1:9902 <- 192.0.2.5:80 <- 192.168.1.111:40000 CLOSED:SYN_SENT",
            "ALL tcp 127.0.0.1:9902 <- 192.0.2.5:99999 <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- 192.0.2.5 <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- example.com:80 <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- 192.0.2.5[80] <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- [2001:db8::1]:80 <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- fe80::1%en0[80] <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- 2001:db8::1[80][81] <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- ] <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "all tcp 127.0.0.1:9902 (192.0.2.5:80) <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 -> 192.0.2.5:80 -> 192.168.1.111:40000 ESTABLISHED:ESTABLISHED",
            "ALL tcp 127.0.0.1:9902 <- 192.0.2.5:80 <- 192.168.1.111:40000 ESTABLISHED:ESTABLISHED more",
            "\u{0}\u{FFFD} <- <- <- <- <- <- <-", "<- [ ] <-",
        ])
    func hostile(line: String) throws { #expect(try wanted("192.168.1.111:40000", in: line + "\n") == nil) }
}
