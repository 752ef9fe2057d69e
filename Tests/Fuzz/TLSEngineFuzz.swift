import ATSPolicy
import Bytes
import TLSEngine

/// Feeds the fuzzer's input to both kinds of TLS machine, and to the readers of passing handshakes, whole and byte by
/// byte: each must end in a state and never trap. The low bit of the first byte selects the role.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTLSEngine(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    let isOrigin = start[0] & 1 == 0
    let whole = feed(bytes, isOrigin: isOrigin, piece: max(bytes.count, 1))
    precondition(feed(bytes, isOrigin: isOrigin, piece: 1) == whole, "byte by byte differs")
    precondition(
        observation(of: bytes, piece: 1) == observation(of: bytes, piece: max(bytes.count, 1)), "in passing it differs")
    if let hello = HelloContent(records: bytes) {
        _ = hello.ja4
        _ = HelloReading(hello)
    }
    var second = SecondHello()
    _ = second.read(bytes)
    return 0
}

/// The final sight of the reader of passing handshakes.
private func observation(of bytes: UnsafeRawBufferPointer, piece: Int) -> OriginFlight.Observation {
    var flight = OriginFlight()
    for start in stride(from: 0, to: bytes.count, by: piece) {
        _ = flight.read(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)]))
    }
    // Reads the bytes after a request for another hello.
    return flight.read(UnsafeRawBufferPointer(start: nil, count: 0))
}

/// The name in a held hello, or the kind of state that was reached.
private func feed(_ bytes: UnsafeRawBufferPointer, isOrigin: Bool, piece: Int) -> String {
    let outbox = ByteQueue()
    let plaintext = ByteQueue()
    guard let machine = isOrigin ? origin(outbox) : client(outbox) else { return "no machine" }
    if isOrigin { machine.start() }
    var given = 0
    while given < bytes.count {
        let end = min(given + piece, bytes.count)
        machine.receive(UnsafeRawBufferPointer(rebasing: bytes[given..<end]), plaintext: plaintext)
        given = end
    }
    switch machine.state {
    case .helloHeld: return "held \(machine.clientHello?.serverName.text ?? "-") \(machine.clientHello?.alpn ?? [])"
    case .handshaking: return "handshaking"
    case .established: return "established"
    case .closed: return "closed"
    case .failed: return "failed"
    }
}

private func origin(_ outbox: ByteQueue) -> TLSMachine? {
    guard let context = originContext else { return nil }
    return try? TLSMachine.origin(context, serverName: "fuzz.example.com", alpn: ["http/1.1"], outbox: outbox)
}

private func client(_ outbox: ByteQueue) -> TLSMachine? {
    clientContext.flatMap { try? TLSMachine.client($0, outbox: outbox) }
}

private let originContext = try? OriginTLSContext(offer: .diagnostic)
private let clientContext = try? ClientTLSContext()
