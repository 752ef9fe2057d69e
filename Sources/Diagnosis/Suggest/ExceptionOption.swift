public import ATSPolicy
import Text

/// A change of `NSExceptionDomains` that lets a blocked load pass. It was judged: the load passes with it.
public struct ExceptionOption: Sendable, Hashable {
    public let fix: ExceptionFix
    /// The parent's entry that covers the host with it, and with the host its other subdomains; nil if the entry is the
    /// host's own.
    public let widened: String?

    /// The changes for a load: parents' entries that lack only `NSIncludesSubdomains`, then an entry of the host's own.
    ///
    /// The host's own entry copies the settings of the entry that covers the host now, because it replaces that one for
    /// the host. So no other ruling changes, except those on hosts below an entry that includes its subdomains already.
    ///
    /// - Parameter settings: the settings that the load needs.
    public static func all(
        for target: LoadTarget, settings: [ExceptionFix.Setting], judge: Judge, loader: Loader
    ) -> [ExceptionOption] {
        func isPermitted(_ fix: ExceptionFix) -> Bool {
            let changed = Judge(
                declaration: judge.declaration.adding(fix), profile: judge.system, switches: judge.switches)
            if case .permit = changed.rule(on: target, loader: loader) { return true }
            return false
        }
        let near = judge.declaration.nearMisses(for: target.host).map { ExceptionOption(fix: $0, widened: $0.domain) }
        let own = own(for: target, settings: settings, judge: judge, loader: loader)
        return (near + [ExceptionOption(fix: own, widened: nil)]).filter { isPermitted($0.fix) }
    }

    /// An entry of the host's own, with the settings of the entry that covers the host now and with `settings`.
    public static func own(
        for target: LoadTarget, settings: [ExceptionFix.Setting], judge: Judge, loader: Loader
    ) -> ExceptionFix {
        let basis = judge.rule(on: target, loader: loader).basis
        let own = target.address?.description ?? target.host
        let domain = basis.isBuiltIn ? own : basis.entry ?? own
        return judge.declaration.narrowed(ExceptionFix(domain: domain, settings: settings), to: target)
    }
}
