internal import COpenSSL

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
