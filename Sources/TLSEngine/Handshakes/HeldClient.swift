public import ATSPolicy
public import Bytes

/// A client whose hello waits for an answer from the gate or from the origin.
///
/// If the origin answers, the gate does no handshake. OpenSSL is then only needed to read a fragmented or unusual
/// hello, or if the gate must answer after all.
public final class HeldClient {
    public let hello: ClientHello
    private let context: ClientTLSContext
    private let bytes: [UInt8]
    private var known: TLSMachine?

    /// Creates a client that has sent only its hello, in one record; nil for any other bytes.
    public init?(_ bytes: UnsafeRawBufferPointer, _ context: ClientTLSContext) {
        guard let hello = ClientHello(alone: bytes) else { return nil }
        self.hello = hello
        self.context = context
        self.bytes = Array(bytes)
    }

    /// Creates the client of a machine that holds its hello; nil if it holds none.
    public init?(_ machine: TLSMachine, _ context: ClientTLSContext) {
        guard machine.state == .helloHeld, let hello = machine.clientHello else { return nil }
        self.hello = hello
        self.context = context
        bytes = []
        known = machine
    }

    /// Returns the machine that can answer the hello, at ``TLSState/helloHeld``.
    ///
    /// - Parameter outbox: the queue for its output from now on.
    public func machine(outbox: ByteQueue) throws(TLSSetupError) -> TLSMachine {
        if let known {
            known.redirect(to: outbox)
            return known
        }
        let machine = try TLSMachine.client(context, outbox: outbox)
        bytes.withUnsafeBytes { machine.receive($0, plaintext: ByteQueue()) }
        known = machine
        return machine
    }

    /// Returns a suite by its number, with OpenSSL's standard name for it.
    public func suite(_ code: UInt16) -> CipherSuite { context.suite(code) }
}
