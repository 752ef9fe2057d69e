import Foundation
import Processes

/// A server that speaks enough of PostgreSQL's protocol to log a client in, and then attacks it. Listens on a free port
/// of 127.0.0.1; ends with the last reference. Source of the messages: PostgreSQL 15, section 55.7.
public final class HostileServer: Sendable {
    /// The answer to every statement but the first, which sets up the connection.
    public enum Attack: Sendable, CaseIterable {
        /// Rows of one long text, or of no column at all.
        case endlessRows, endlessEmptyRows
        /// One row that claims 1 GB, and sends it.
        case giantRow
        /// Messages that are no rows. libpq keeps each parameter, and each notification until the client asks for it.
        case notices, parameters, notifications
        /// One notice that claims 1 GB, and sends it.
        case giantNotice
        /// The same floods before the client is logged in.
        case rowsAtLogin, giantNoticeAtLogin
        /// No answer.
        case silence
        /// A short notice every 100 ms.
        case dripping
        /// A result, and with it 1 MiB of new parameters; the next statement gets the same.
        case parametersWithEachAnswer
    }

    public let port: Int
    private let listener: Int32

    public init(_ attack: Attack) throws {
        let (listener, port) = try Loopback.listener()
        (self.listener, self.port) = (listener, port)
        // Ends with the listener.
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread {
                    Self.serve(client, attack)
                    close(client)
                }
            }
        }
    }

    deinit { Loopback.end(listener) }

    public var url: String { "postgres://u@127.0.0.1:\(port)/db?sslmode=disable" }

    /// The most that is sent to one client: a client without limits shall not take the machine's memory.
    private static let most = 300 << 20

    private static func serve(_ client: Int32, _ attack: Attack) {
        var heard = [UInt8](repeating: 0, count: 65_536)
        guard recv(client, &heard, heard.count, 0) > 0 else { return }
        let authenticated = message("R", bytes(Int32(0)))
        switch attack {
        case .rowsAtLogin: flood(client, authenticated + description, row(1_000))
        case .giantNoticeAtLogin: flood(client, authenticated + giant("N"), zeros)
        default: break
        }
        guard send(client, authenticated + ready) else { return }
        var statements = 0
        while case let count = recv(client, &heard, heard.count, 0), count > 0 {
            // Terminate has no answer.
            guard heard[0] != UInt8(ascii: "X") else { return }
            statements += 1
            guard statements > 1 else {
                guard send(client, message("C", Array("SET\0".utf8)) + ready) else { return }
                continue
            }
            guard strike(client, attack, statements) else { return }
        }
    }

    /// - Returns: false if the client is gone.
    private static func strike(_ client: Int32, _ attack: Attack, _ statement: Int) -> Bool {
        switch attack {
        case .endlessRows: flood(client, description, row(1_000))
        case .endlessEmptyRows:
            flood(client, message("T", bytes(Int16(0))), message("D", bytes(Int16(0))))
        case .giantRow: flood(client, description + giant("D") + bytes(Int16(1)) + bytes(Int32(1_000_000_000)), zeros)
        case .notices: flood(client, [], message("N", Array("SWARNING\0Mnothing\0\0".utf8)))
        case .giantNotice: flood(client, [], giant("N") + zeros)
        case .notifications: flood(client, [], message("A", bytes(Int32(1)) + Array("channel\0news\0".utf8)))
        case .parameters: flood(client, [], nil)
        case .dripping:
            for _ in 0..<250 {
                guard send(client, message("N", Array("SWARNING\0Mnothing\0\0".utf8))) else { return false }
                var end = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
                guard poll(&end, 1, 100) == 0 else { return false }
            }
            return false
        case .parametersWithEachAnswer:
            return send(
                client, parameters(1 << 20, prefix: "p\(statement)_") + message("C", Array("SET\0".utf8)) + ready)
        case .silence, .rowsAtLogin, .giantNoticeAtLogin: return true
        }
        return true
    }

    /// Sends `first`, and then `piece` again and again; for nil, parameters with new names.
    private static func flood(_ client: Int32, _ first: [UInt8], _ piece: [UInt8]?) {
        guard send(client, first) else { return }
        var sent = 0
        let many = piece.map { piece in Array(repeatElement(piece, count: max(1, 65_536 / piece.count)).joined()) }
        while sent < most {
            let bytes = many ?? parameters(65_536, prefix: "p\(sent)_")
            guard send(client, bytes) else { return }
            sent += bytes.count
        }
    }

    private static func parameters(_ size: Int, prefix: String) -> [UInt8] {
        (0..<size / 1_024).flatMap { number in
            message("S", Array("\(prefix)\(number)\0".utf8) + [UInt8](repeating: 120, count: 1_000) + [0])
        }
    }

    private static func send(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { rest in
                Foundation.send(client, rest.baseAddress.map { $0 + sent }, bytes.count - sent, noSignal)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static let zeros = [UInt8](repeating: 0, count: 65_536)
    private static let ready = message("Z", [UInt8(ascii: "I")])
    /// One column of text.
    private static let description = message(
        "T",
        bytes(Int16(1)) + Array("x\0".utf8) + bytes(Int32(0)) + bytes(Int16(0)) + bytes(Int32(25)) + bytes(Int16(-1))
            + bytes(Int32(-1)) + bytes(Int16(0)))

    private static func row(_ size: Int) -> [UInt8] {
        message("D", bytes(Int16(1)) + bytes(Int32(size)) + [UInt8](repeating: 120, count: size))
    }

    private static func giant(_ kind: Unicode.Scalar) -> [UInt8] {
        [UInt8(ascii: kind)] + bytes(Int32(1_000_000_010))
    }

    private static func message(_ kind: Unicode.Scalar, _ content: [UInt8]) -> [UInt8] {
        [UInt8(ascii: kind)] + bytes(Int32(content.count + 4)) + content
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    #if canImport(Darwin)
    private static let noSignal: Int32 = 0
    #else
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}
