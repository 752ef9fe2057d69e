import Fleet
import Foundation
import Postgres
import Reporting
import Text

/// Ships a file of loads to a shared store.
struct SpoolShipment {
    let path: String

    /// - Returns: The result in one line.
    func ship(to address: PostgresAddress) throws(CommandFailure) -> (words: String, added: Int) {
        do {
            let spool = try Spool(path: path)
            guard let lock = try SpoolLock(of: path) else {
                throw CommandFailure.unavailable("\(path) is being shipped by a running gate")
            }
            return try withExtendedLifetime(lock) {
                try ship(spool, to: address)
            }
        } catch let error as CommandFailure {
            throw error
        } catch let error as StoreError {
            throw CommandFailure(error)
        } catch let error as ShippingError {
            throw CommandFailure.unavailable("\(error)".printable)
        } catch let error as SchemaError {
            throw CommandFailure(error, at: address)
        } catch {
            throw CommandFailure.unavailable("\(path) was not shipped: \(error)".printable)
        }
    }

    /// Continues after a broken connection and while the server restarts, if some loads arrive in between.
    private func ship(_ spool: Spool, to address: PostgresAddress) throws -> (words: String, added: Int) {
        let gate = Self.gate
        var (total, added) = (0, 0)
        var failures = 0
        var pause = ShippingPause()
        var unshipped = UnshippedLoads()
        while true {
            do {
                let shipping = try Shipping(spool, to: address, as: gate, timeout: Self.timeout)
                var isAtEnd = false
                while !isAtEnd {
                    let step = try shipping.shipNext()
                    total += step.shipped
                    added += step.added
                    _ = unshipped.note(step.refusal, of: spool)
                    if step.shipped > 0 {
                        failures = 0
                        pause.reset()
                    }
                    isAtEnd = step.isAtEnd
                }
                try shipping.report(gate, isLast: true)
                try spool.note(shipped: shipping.shipped)
                return (try words(spool, shipping, added, unshipped), added)
            } catch let error as PostgresError where error.isInterruption(after: total) {
                failures += 1
                guard failures < mostFailures else { throw error }
                // There is no event to wait for: a restarting server sends no notification.
                Thread.sleep(forTimeInterval: pause.take() / .seconds(1))
            }
        }
    }

    /// The time limit for each answer of the server.
    static let timeout = Duration.seconds(30)

    /// This machine, if the server knows no gate: the file does not contain the gate that recorded it.
    static var gate: GateDescription {
        var gate = GateDescription(host: ProcessInfo.processInfo.hostName, version: toolVersion)
        gate.isRecording = false
        return gate
    }

    private func words(
        _ spool: Spool, _ shipping: Shipping, _ total: Int, _ unshipped: UnshippedLoads
    ) throws -> String {
        if let cause = unshipped.lastRefusal {
            throw CommandFailure.badInput(
                "\(spool.path): \(total.loads) shipped; \(unshipped.refused.loads) not: \(cause)".printable)
        }
        if spool.leftOut > 0 {
            throw CommandFailure.badInput(
                "\(spool.path): \(total.loads) shipped; \(spool.leftOut.loads) not: text with U+0000".printable)
        }
        if shipping.lost > 0 {
            StandardError.writeLine(
                "atsgate: \(Int(shipping.lost).loads) that the server once had are not in \(spool.path)")
        }
        return "\(spool.path.printable): \(total.loads) shipped"
    }
}

extension PostgresError {
    /// True if the server may be back soon: it was reachable, or accepted `shipped` loads before.
    fileprivate func isInterruption(after shipped: Int) -> Bool {
        switch self {
        case .broken: true
        case .unreachable: shipped > 0
        case .missingLibrary, .refused: false
        }
    }
}

/// The limit of consecutive failures, about a minute.
private let mostFailures = 8
