import ATSPolicy
import ProxyCore
import ProxyServer

/// The rules that are applied.
enum LawSection: OptionSection {
    static let title = "Dictionary and release"

    static let options: [GateOption] = [
        GateOption("policy", .path(), maySet: \.settings.policyPath, "The dictionary to enforce.")
            .details(
                """
                An Info.plist (XML or binary), a bare NSAppTransportSecurity dictionary as property list or JSON, an \
                .app, .appex, .ipa or .xcarchive, or - for standard input. store:NAME is the newest version that \
                atsgate policy push has put into the shared store of --store, store:NAME@VERSION that version.
                """
            )
            .standard("the secure defaults of an app without a dictionary")
            .example("config/dictionaries/strict.plist").often,
        GateOption("os", .system, sets: \.settings.profile, "The release to emulate.")
            .details(
                """
                \(OSProfile.all.map(\.name).joined(separator: ", ")), or any other release since iOS 9: ios12.2, \
                macos15.5, ipados17, tvos16, watchos9, visionos1. auto takes the release from each client's \
                User-Agent, else from the dictionary, else the newest.
                """
            ).often,
        GateOption(
            "assume", .loader, maySet: \.settings.rules.clients.loader,
            "Treat every load as made by this part of the system."
        )
        .details(
            """
            Some ATS exceptions apply to only one of them: app is the app's own process through URLSession, web is web \
            content, media is AVFoundation.
            """
        )
        .standard("from the User-Agent, else app"),
        GateOption(
            "outside", .choice("what"), sets: \.settings.rules.clients.outside,
            "How to treat clients that ATS does not govern on a device."
        )
        .details(
            """
            They are recognized by their User-Agent: Safari and other browsers of an iPhone, iPad or Mac, and, \
            except with run, Dart, okhttp and Go. pass: they are not judged, and are recorded as outside; judge: they \
            are judged as the app. --assume overrides this.
            """),
    ]
}

/// Options for rules on which the sources disagree.
enum ReadingsSection: OptionSection {
    static let title = "Where sources disagree"

    static let options: [GateOption] = [
        GateOption(
            "subdomain-depth", .choice("depth"), sets: \.settings.switches.subdomainDepth,
            "How deep NSIncludesSubdomains reaches: one label, as documented, or any number."),
        GateOption(
            "local-nets", .networks, sets: \.settings.switches.localNetworks, "Addresses that count as local."
        )
        .details(
            """
            CIDR ranges and the words default (loopback, link-local, private), on-link (loopback, link-local), any and \
            none, separated by commas.
            """),
        GateOption(
            "strict-ip", .onOff, maySet: \.settings.switches.strictIP,
            "Whether an address, even a local one, needs NSAllowsLocalNetworking or an exception."
        )
        .standard("by --os").example("off"),
        GateOption(
            "linked-sdk", .choice("whose"), sets: \.settings.switches.linkedSDK,
            "The SDK that decides whether iOS 17's rule on addresses applies: the bundle's, if known, or the newest."),
        GateOption(
            "sibling-keys", .choice("reading"), sets: \.settings.switches.siblingKeys,
            "Whether NSAllowsLocalNetworking disables NSAllowsArbitraryLoads by its presence, or only when it is true."
        ),
        GateOption(
            "key-size-without-pfs", .onOff, sets: \.settings.switches.keySizeWithoutForwardSecrecy,
            "Whether an entry with NSExceptionRequiresForwardSecrecy = false still requires ATS key lengths."),
        GateOption(
            "certificate-scope", .choice("scope"), sets: \.settings.switches.certificateScope,
            "Certificates that must meet ATS key lengths and hashes: the chain below its anchor, or the leaf."),
        GateOption(
            "suite-list", .choice("list"), sets: \.settings.switches.suiteList,
            "Offer the cipher suites of Apple's source code, by --os, or those that Apple documented in 2015."),
        GateOption(
            "cbc-sha2", .onOff, maySet: \.settings.switches.cbcSHA2, "Offer CBC suites with SHA-256 and SHA-384."
        )
        .standard("by --os"),
        GateOption(
            "legacy-keys", .onOff, maySet: \.settings.switches.legacyKeys,
            "Read keys in their NSThirdParty and NSTemporary spellings."
        )
        .standard("by --os").example("off"),
        GateOption(
            "address-keys", .onOff, maySet: \.settings.switches.addressKeys,
            "Accept addresses as keys of NSExceptionDomains."
        )
        .standard("by --os"),
        GateOption(
            "insecure-trust", .choice("whom"), sets: \.settings.switches.insecureTrust,
            "Bad certificates that NSExceptionAllowsInsecureHTTPLoads accepts."
        )
        .details("app: those that the app's own code accepts, see --app-overrides-trust; any: all of them."),
        GateOption(
            "local-names", .choice("reading"), sets: \.settings.switches.localNames,
            "Whether http to local names is allowed on iOS 10 to 13, or needs NSAllowsLocalNetworking."),
        GateOption(
            "localhost-names", .choice("where"), sets: \.settings.switches.localhostNames,
            "Whether names below localhost, such as name.localhost, are remote or local from iOS 27 on."),
        GateOption(
            "web-local-trust", .choice("reading"), sets: \.settings.switches.webLocalTrust,
            "Whether https of web content to a private address is judged strictly from iOS 26 on, or not."),
        GateOption(
            "handshake-failure-code", .choice("number"), maySet: \.settings.switches.apple.handshakeFailure,
            "The code reported for TLS alert 40: -9824 or -9858."
        )
        .standard("by --os").example("9858"),
        GateOption(
            "self-signed-code", .choice("number"), maySet: \.settings.switches.apple.selfSigned,
            "The code reported for a self-signed certificate on a host where ATS is off: -9807 or -9813."
        )
        .standard("by --os").example("9813"),
        GateOption(
            "console-variants", .consoleVariants, sets: \.settings.switches.apple.variants,
            "Variants of the device's log lines to show on the releases that have them."
        )
        .details(
            """
            nsurlconnection: the line of an app on NSURLConnection (11 to 15); strict-trust: the other trust line of \
            15; unified-log: additional lines of the unified log (13 and later); web-view: the error in a web view of 9.
            """
        )
        .example("nsurlconnection,unified-log"),
        GateOption(
            "built-in-exceptions", .onOff, maySet: \.settings.switches.builtInExceptions,
            "Apply Apple's built-in exceptions for its own hosts."
        )
        .standard("by --os"),
        GateOption(
            "pin-when-ats-off", .onOff, sets: \.settings.switches.pinWhenATSOff,
            "Whether NSPinnedDomains applies if ATS is off for a host, which Apple does not document."),
    ]
}
