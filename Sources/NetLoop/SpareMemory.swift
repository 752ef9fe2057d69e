import CPoll
import Dispatch

/// Gives memory that the allocator keeps back to the system, once a wave of connections is over: handshakes need much
/// for a moment, and the allocator would hold on to it for good. Belongs to one loop.
public final class SpareMemory {
    /// Connections that came or went since memory was given back.
    private var turnover = 0
    private var turnoverAtLastLook = 0
    private var timer: LoopTimer?

    public init() {}

    /// Tells of a connection that was accepted or closed.
    public func connectionCameOrWent(on loop: isolated EventLoop) {
        turnover += 1
        guard turnover >= Self.wave, timer?.isArmed != true else { return }
        let timer = timer ?? LoopTimer { [weak self] in self?.look(on: loop) }
        self.timer = timer
        timer.arm(after: Self.calm, on: loop)
    }

    private func look(on loop: isolated EventLoop) {
        guard turnover == turnoverAtLastLook else {
            turnoverAtLastLook = turnover
            timer?.arm(after: Self.calm, on: loop)
            return
        }
        turnover = 0
        turnoverAtLastLook = 0
        // Some milliseconds of work: not on the loop.
        DispatchQueue.global(qos: .utility).async { cpoll_trim_memory() }
    }

    /// Connections that make a wave: fewer are not worth the work.
    private static let wave = 256
    /// How long nothing may come or go before the wave counts as over.
    private static let calm = Duration.milliseconds(500)
}
