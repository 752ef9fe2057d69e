public import ATSPolicy

/// What one suggested entry of `NSExceptionDomains` loosens.
public struct EntryKeys: Sendable, Hashable {
    public var includesSubdomains = false
    /// The entry undoes a NIAP package.
    public var waivesPackage = false
    public var givesUpForwardSecrecy = false
    public var minimumTLS: TLSVersion?
    public var allowsInsecureHTTPLoads = false

    public init() {}

    /// Nothing is loosened.
    var isEmpty: Bool { settings.count == (includesSubdomains ? 1 : 0) }

    /// In the order to write them.
    public var settings: [ExceptionFix.Setting] {
        var settings: [ExceptionFix.Setting] = []
        if includesSubdomains { settings.append(.init(ATSKey.includesSubdomains, .flag(true))) }
        if givesUpForwardSecrecy { settings.append(.init(ATSKey.forwardSecrecy, .flag(false))) }
        if let minimumTLS { settings.append(.init(ATSKey.minimumTLS, .text(minimumTLS.declarationName))) }
        if allowsInsecureHTTPLoads { settings.append(.init(ATSKey.insecureHTTP, .flag(true))) }
        if waivesPackage { settings.append(.init(ATSKey.exceptionNIAPVersion, .text(NIAPPackage.none.rawValue))) }
        return settings
    }

    /// The same with each of its keys taken away in turn.
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

    /// Everything that an entry can loosen, the least first: a NIAP package before forward secrecy, that before the
    /// version, and that before cleartext, which also lets the app's code accept any certificate.
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
