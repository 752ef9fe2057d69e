public import ATSPolicy

/// The settings of one suggested entry of `NSExceptionDomains`.
public struct EntryKeys: Sendable, Hashable {
    public var includesSubdomains = false
    /// True if the entry turns a NIAP package off.
    public var waivesPackage = false
    public var givesUpForwardSecrecy = false
    public var minimumTLS: TLSVersion?
    public var allowsInsecureHTTPLoads = false

    public init() {}

    /// True if no setting is loosened.
    var isEmpty: Bool { settings.count == (includesSubdomains ? 1 : 0) }

    /// In the order in which they are written.
    public var settings: [ExceptionFix.Setting] {
        var settings: [ExceptionFix.Setting] = []
        if includesSubdomains { settings.append(.init(ATSKey.includesSubdomains, .flag(true))) }
        if givesUpForwardSecrecy { settings.append(.init(ATSKey.forwardSecrecy, .flag(false))) }
        if let minimumTLS { settings.append(.init(ATSKey.minimumTLS, .text(minimumTLS.declarationName))) }
        if allowsInsecureHTTPLoads { settings.append(.init(ATSKey.insecureHTTP, .flag(true))) }
        if waivesPackage { settings.append(.init(ATSKey.exceptionNIAPVersion, .text(NIAPPackage.none.rawValue))) }
        return settings
    }

    /// Copies of the entry, each without one of its keys.
    var withoutOneKey: [EntryKeys] {
        var lesser: [EntryKeys] = []
        func add(_ isSet: Bool, _ change: (inout EntryKeys) -> Void) {
            guard isSet else { return }
            var keys = self
            change(&keys)
            lesser.append(keys)
        }
        add(includesSubdomains) { $0.includesSubdomains = false }
        add(waivesPackage) { $0.waivesPackage = false }
        add(givesUpForwardSecrecy) { $0.givesUpForwardSecrecy = false }
        add(minimumTLS != nil) { $0.minimumTLS = nil }
        add(allowsInsecureHTTPLoads) { $0.allowsInsecureHTTPLoads = false }
        return lesser
    }

    /// Every possible entry, the least permissive first: a NIAP package before forward secrecy, then the version, then
    /// cleartext, which also lets the app's code accept any certificate.
    static let all: [EntryKeys] = {
        var all: [EntryKeys] = []
        for insecure in [false, true] {
            for minimum in [nil, TLSVersion.tls11, .tls10] {
                for noSecrecy in [false, true] {
                    for noPackage in [false, true] {
                        var keys = EntryKeys()
                        keys.waivesPackage = noPackage
                        keys.givesUpForwardSecrecy = noSecrecy
                        keys.minimumTLS = minimum
                        keys.allowsInsecureHTTPLoads = insecure
                        all.append(keys)
                    }
                }
            }
        }
        return all
    }()
}
