public import ATSPolicy
public import Bytes

/// A client whose hello has come, and that waits for an answer: of the gate, or of the origin.
///
/// Where the origin answers, nothing of a handshake is done here, so that OpenSSL is asked only to read a hello that is cut
/// or unusual, and where the gate has to answer after all.
public final class HeldClient {
    public let hello: ClientHello
    private let context: ClientTLSContext
    private let bytes: [UInt8]
    private var known: TLSMachine?

    /// A client that has sent nothing but its hello, in one record; nil for every other.
    public init?(_ bytes: UnsafeRawBufferPointer, _ context: ClientTLSContext) {
        guard let hello = ClientHello(alone: bytes) else { return nil }
        self.hello = hello
        self.context = context
        self.bytes = Array(bytes)
    }

    /// The client of a machine that holds its hello; nil where it holds none.
    public init?(_ machine: TLSMachine, _ context: ClientTLSContext) {
        guard machine.state == .helloHeld, let hello = machine.clientHello else { return nil }
        self.hello = hello
        self.context = context
        bytes = []
        known = machine
    }

    /// What answers the hello, at ``TLSState/helloHeld``.
    ///
    /// - Parameter outbox: what it has to say goes there from now on.
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

    /// A suite by its number, with the name that the library has for it.
    public func suite(_ code: UInt16) -> CipherSuite { context.suite(code) }
}
