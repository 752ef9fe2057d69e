package import NetLoop

/// The original addresses of connections that pf of macOS has redirected, from the output of `pfctl -s state`. Not
/// tested on a Mac.
///
/// A redirected connection is one line: the interface (`ALL` for any), the protocol, the local address, the original
/// address, the client, and the state of both ends:
/// `ALL tcp 127.0.0.1:9902 <- 192.0.2.80:443 <- 192.168.2.5:45670       ESTABLISHED:ESTABLISHED`, for IPv6
/// `::1[9902] <- 2001:db8::1[443] <- 2001:db8::5[45670]`. Sources (observed; pfctl(8) does not describe the lines):
/// mitmproxy/mitmproxy, mitmproxy/platform/pf.py and test/mitmproxy/platform/test_pf.py; for lines of connections that
/// were not redirected, with arrows to the right, its issue 2594.
package struct PacketFilterStates: Sendable {
    private struct ClientPort: Hashable {
        var client: SocketAddress
        var port: UInt16
    }

    /// nil if two lines differ, which is ambiguous.
    private var wanted: [ClientPort: SocketAddress?] = [:]

    /// Skips lines of another format.
    package init(_ listing: String) {
        for line in listing.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
            guard words.count == 8, words[1].elementsEqual("tcp".utf8), words[3].elementsEqual("<-".utf8),
                words[5].elementsEqual("<-".utf8), words[7].starts(with: "ESTABLISHED:".utf8),
                let led = Self.address(words[2]), let original = Self.address(words[4]),
                let client = Self.address(words[6])
            else { continue }
            let place = ClientPort(client: client, port: led.port)
            // Two local addresses may share a port, and only one line belongs to the accepted client.
            if let other = wanted[place], other != original {
                wanted[place] = .some(nil)
            } else {
                wanted[place] = original
            }
        }
    }

    /// The original address of a client that was redirected to a local port; nil if the list contains none, or two
    /// different ones.
    package func wanted(by client: SocketAddress, ledTo port: UInt16) -> SocketAddress? {
        wanted[ClientPort(client: client, port: port)] ?? nil
    }

    /// `192.0.2.80:443` or `2001:db8::1[443]`.
    private static func address(_ word: Substring.UTF8View) -> SocketAddress? {
        let text = String(Substring(word))
        guard text.hasSuffix("]") else { return text.hasPrefix("[") ? nil : SocketAddress(text) }
        let sides = text.dropLast().split(separator: "[", omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0].contains(":") else { return nil }
        return SocketAddress("[\(sides[0])]:\(sides[1])")
    }
}
