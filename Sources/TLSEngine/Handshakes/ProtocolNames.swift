/// Application protocol names, encoded as in a hello. Source: RFC 7301 section 3.1.
struct ProtocolNames: Sendable {
    /// Each name after its length.
    let wire: [UInt8]

    init(_ names: [String]) throws(TLSSetupError) {
        var wire: [UInt8] = []
        for name in names {
            guard let length = UInt8(exactly: name.utf8.count), length > 0 else { throw .protocolName }
            wire.append(length)
            wire.append(contentsOf: name.utf8)
        }
        self.wire = wire
    }

    /// Returns the offset and length, in a client's list, of the first of our names that the list contains.
    func choice(in offered: UnsafeBufferPointer<UInt8>) -> (offset: Int, length: UInt8)? {
        var index = 0
        while index < wire.count {
            let length = Int(wire[index])
            let ours = wire[(index + 1)..<min(index + 1 + length, wire.count)]
            var place = 0
            while place < offered.count {
                let start = place + 1
                let end = start + Int(offered[place])
                guard end <= offered.count else { break }
                if offered[start..<end].elementsEqual(ours) { return (start, offered[place]) }
                place = end
            }
            index += 1 + length
        }
        return nil
    }
}
