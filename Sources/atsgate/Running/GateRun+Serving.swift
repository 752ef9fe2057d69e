import Foundation
import Logging
import NetLoop
import ProxyServer
import Synchronization

extension GateRun {
    /// Serves until SIGTERM or SIGINT. The first one lets loads in flight finish, a second one ends them. SIGHUP reloads
    /// the dictionary.
    ///
    /// - Throws: ``CommandFailure`` with 74 if an address cannot be announced.
    func serve(as service: Service) throws -> RunWork {
        let ended = DispatchSemaphore(value: 0)
        try signals.pass(to: receiver(service) { ended.signal() }) {
            try begin { choices.isQuiet ? [] : [startNotice] }
            service.isReady(at: open.gate.addresses, log: open.log)
            let watchdog = service.watch(side.metrics.monitor, log: open.log)
            ended.wait()
            watchdog?.stop()
        }
        return RunWork()
    }

    private var startNotice: String {
        StartNotice(
            open: open, settings: settings, page: side.page, metrics: side.metrics, remarks: remarks,
            showsCode: wantsColour(on: STDERR_FILENO)
        ).text
    }

    private func receiver(_ service: Service, stopped: @escaping @Sendable () -> Void) -> RunSignals.Receiver {
        let isDraining = Mutex(false)
        let limit = settings.timeouts.drain + LastResort.grace + (open.records.shared?.timeout ?? .zero)
        return { [self] signal in
            guard signal != SIGHUP else {
                // A stopping service must not become ready again.
                guard !isDraining.withLock({ $0 }) else { return open.gate.reload() }
                service.isReloading(log: open.log)
                open.gate.reload()
                return service.isReady(at: open.gate.addresses, log: open.log)
            }
            let isSecond = isDraining.withLock { draining in
                defer { draining = true }
                return draining
            }
            if isSecond {
                LastResort.arm(after: LastResort.grace)
                open.log.notice("stopping immediately")
                open.gate.stop()
                stopped()
            } else {
                open.log.notice("finishing loads in flight; repeat the signal to stop immediately")
                service.isStopping(within: limit, log: open.log)
                drain(stopped)
            }
        }
    }
}
