import Fleet
import Foundation
import Postgres
import Reporting
import Text

/// Ships a file of loads to a shared store.
struct SpoolShipment {
    let path: String
    /// True if the shared store may have its loads from another file.
    var mayBeElsewhere = false

    /// - Returns: The result in one line.
    func ship(to address: PostgresAddress) throws(CommandFailure) -> String {
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
            let words = "\(error)".printable
            if case .elsewhere = error { throw CommandFailure.badInput(words) }
            throw CommandFailure.unavailable(words)
        } catch let error as SchemaError {
            throw CommandFailure(error, at: address)
        } catch {
            throw CommandFailure.unavailable("\(path) was not shipped: \(error)".printable)
        }
    }

    /// Continues after a broken connection and while the server restarts, if some loads arrive in between.
    private func ship(_ spool: Spool, to address: PostgresAddress) throws -> String {
        let gate = Self.gate
        var total = 0
        var failures = 0
        var pause = ShippingPause()
        var unshipped = UnshippedLoads()
        while true {
            do {
                let shipping = try Shipping(
                    spool, to: address, as: gate, timeout: Self.timeout, mayBeElsewhere: mayBeElsewhere)
                if let words = shipping.forkNotice {
                    StandardError.writeLine("atsgate: \(words)".printable)
                }
                var isAtEnd = false
                while !isAtEnd {
                    let step = try shipping.shipNext()
                    total += step.shipped
                    _ = unshipped.note(step.refusal, of: spool)
                    if step.shipped > 0 {
                        failures = 0
                        pause.reset()
                    }
                    isAtEnd = step.isAtEnd
                }
                try shipping.report(gate, isLast: true)
                try spool.note(shipping.mark)
                return try words(spool, shipping, total, unshipped)
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
        if let left = spool.leftOut {
            throw CommandFailure.badInput("\(spool.path): \(total.loads) shipped; \(left)".printable)
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
