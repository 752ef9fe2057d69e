public import ATSPolicy
public import Bytes
internal import COpenSSL

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

/// A ClientHello that waits for the gate's decision. OpenSSL's callbacks hold a pointer to it.
final class HeldHello {
    private enum Decision {
        case pending
        case accepted(ProtocolNames?)
        case refused(alert: UInt8)
    }

    private(set) var hello: ClientHello?
    private var decision = Decision.pending

    var protocolNames: ProtocolNames? {
        if case .accepted(let names) = decision { names } else { nil }
    }

    func accept(_ names: ProtocolNames?) { decision = .accepted(names) }

    func refuse(alert: UInt8) { decision = .refused(alert: alert) }

    /// Stores a pointer to this object in the connection. The object must outlive the connection's last call.
    func attach(to connection: ConnectionHandle) -> Bool {
        SSL_set_ex_data(connection.raw, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    }

    static func of(_ connection: OpaquePointer?) -> HeldHello? {
        guard let pointer = SSL_get_ex_data(connection, 0) else { return nil }
        return Unmanaged<HeldHello>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The body of the client hello callback. It runs once per attempt, so again after each resumption
    /// (SSL_CTX_set_client_hello_cb(3)).
    func decide(for connection: OpaquePointer?, alert: UnsafeMutablePointer<Int32>?) -> Int32 {
        if hello == nil { hello = ClientHello(during: connection) }
        switch decision {
        case .pending:
            return SSL_CLIENT_HELLO_RETRY
        case .accepted:
            return SSL_CLIENT_HELLO_SUCCESS
        case .refused(let code):
            alert?.pointee = Int32(code)
            return SSL_CLIENT_HELLO_ERROR
        }
    }
}
