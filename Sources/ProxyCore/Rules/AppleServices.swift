public import Text

/// Hosts of Apple's own services that fail if their TLS is decrypted. Devices connect to them all the time, independent
/// of the app under test.
///
/// Source: Apple Support, "Use Apple products on enterprise networks" (101555, formerly HT210060): services fail any
/// connection that is intercepted, and interception must be disabled for the hosts listed there. Most of its list is
/// known from a copy of 2026-06-06. ``ApplePinnedHosts`` has those of Apple's own pinning rules. The source of each group, and the parts of the article that are left out:
/// docs/setup.md#apples-own-services.
public enum AppleServices {
    /// The clients whose connections to these hosts are passed through.
    public enum Scope: Sendable, Hashable {
        /// Clients on other machines.
        case devices
        case everyone
        case nobody

        /// - Parameter client: its address, without a port.
        public func includes(client: String) -> Bool {
            switch self {
            case .devices: IPAddress(client)?.isLoopback != true
            case .everyone: true
            case .nobody: false
            }
        }
    }

    /// Matches the hosts.
    public static let hosts = HostPatterns(of: patterns, excluding: privateRelay, families: ApplePinnedHosts.families)

    /// The hosts where devices start iCloud Private Relay, which hides an app's http loads from the gate. A network
    /// that needs to inspect them answers that the hosts do not exist, and devices then go without it. Source: Apple,
    /// Prepare your network or web server for iCloud Private Relay, "Allow for network traffic audits", read
    /// 2026-11-22, for the first two. The third provides their configuration (v2fly/domain-list-community,
    /// icloudprivaterelay; observed).
    public static let privateRelay = hostPatterns(["mask.icloud.com", "mask-h2.icloud.com", "mask-api.icloud.com"])

    private static let relayed = HostPatterns(
        of: privateRelay + hostPatterns(privateRelay.map { "*.\($0.name)" }))

    /// True if a load to the host belongs to Private Relay.
    public static func isPrivateRelay(_ host: String) -> Bool { relayed.contains(host) }

    /// Hosts with which systems check the connection, without any app. Sources: Apple Support, "Use Apple products on
    /// enterprise networks" (101555), "Internet connectivity validation for networks that use captive portals", for the
    /// first (documented); for the others, which older systems use, lists of operators of networks (observed).
    public static let connectivityChecks = [
        "captive.apple.com", "www.appleiphonecell.com", "www.itools.info", "www.ibook.info", "www.airport.us",
        "www.thinkdifferent.us",
    ]

    /// The origin of a load on a device.
    public enum Purpose: Sendable, Hashable {
        case app
        /// The system checks the connection.
        case connectivityCheck
        /// The system tries to use iCloud Private Relay.
        case privateRelay
    }

    public static func purpose(of host: String) -> Purpose {
        if connectivityChecks.contains(host) { return .connectivityCheck }
        return isPrivateRelay(host) ? .privateRelay : .app
    }

    /// Patterns of the hosts. Private Relay's servers at other companies are not included: docs/setup.md#private-relay.
    public static let patterns: [HostPattern] = hostPatterns(
        [
            // Push notifications, and setting devices up.
            "*.push.apple.com", "albert.apple.com", "captive.apple.com", "gs.apple.com", "humb.apple.com",
            "static.ips.apple.com", "sq-device.apple.com", "tbsc.apple.com",
            // Management of devices.
            "axm-adm-enroll.apple.com", "axm-adm-mdm.apple.com", "axm-adm-scep.apple.com", "axm-app.apple.com",
            "axm-servicediscovery.apple.com", "deviceenrollment.apple.com", "deviceservices-external.apple.com",
            "gdmf.apple.com", "identity.apple.com", "iprofiles.apple.com", "mdmenrollment.apple.com",
            // Updates.
            "appldnld.apple.com", "configuration.apple.com", "gdmf-ados.apple.com", "gg.apple.com", "gsra.apple.com",
            "ig.apple.com", "mesu.apple.com", "oscdn.apple.com", "osrecovery.apple.com", "skl.apple.com",
            "swcdn.apple.com", "swdist.apple.com", "swdownload.apple.com", "swscan.apple.com", "wkms-public.apple.com",
            "xp.apple.com",
            // Update hosts of earlier versions of the article.
            "gnf-mdn.apple.com", "gnf-mr.apple.com",
            // App Store, files that apps need, caching.
            "*.appattest.apple.com", "*.apps-marketplace.apple.com", "*.apps.apple.com", "*.itunes.apple.com",
            "*.mzstatic.com", "audiocontentdownload.apple.com", "devimages-cdn.apple.com",
            "download.developer.apple.com",
            "itunes.apple.com", "lcdn-locator.apple.com", "lcdn-registration.apple.com",
            "playgrounds-assets-cdn.apple.com", "playgrounds-cdn.apple.com", "ppq.apple.com", "serverstatus.apple.com",
            "sylvan.apple.com", "token.safebrowsing.apple", "xp-cdn.apple.com",
            // Beta versions, feedback, diagnostics, Tap to Pay, identity.
            "bpapi.apple.com", "cssubmissions.apple.com", "diagassets.apple.com", "fba.apple.com",
            "idv-prod1.apple.com",
            "iphonesubmissions.apple.com", "pos-device.apple.com", "smp-device-content.apple.com",
            // Certificates, names, associated domains.
            "certs.apple.com", "crl.apple.com", "ocsp.apple.com", "ocsp2.apple.com", "valid.apple.com",
            "doh.dns.apple.com", "app-site-association.networking.apple",
            // Apple Account and iCloud.
            "account.apple.com", "gsa.apple.com", "idmsa.apple.com", "*.apple-cloudkit.com",
            "*.apple-livephotoskit.com",
            "*.apzones.com", "*.cdn-apple.com", "*.gc.apple.com", "*.icloud.apple.com", "*.icloud-content.com",
            "*.icloud.com", "*.icloud.com.cn", "*.iwork.apple.com",
            // Account hosts of earlier versions of the article.
            "appleid.apple.com",
            // Siri, search, Private Cloud Compute.
            "*.smoot.apple.com", "guzzoni.apple.com", "apple-native-relay.apple.com", "apple-relay.apple.com",
            "apple-relay.cloudflare.com",
        ] + ApplePinnedHosts.patterns)

    private static func hostPatterns(_ texts: [String]) -> [HostPattern] {
        texts.map { text in
            guard let pattern = HostPattern(text) else { preconditionFailure("\(text) is not a host pattern") }
            return pattern
        }
    }
}

/// Hosts that Apple's systems pin to Apple's own keys: no user-installed root passes there, in any app.
///
/// Those of the article are in ``AppleServices`` only. Source: Apple, security_certificates 55349.0.11,
/// Pinning/CertificatePinning.plist; docs/setup.md#apples-own-services.
enum ApplePinnedHosts {
    /// Names, and wildcards for rules that accept any first label.
    static let patterns: [String] = [
        "aacservices-eu.apple.com", "aacservices-jp.apple.com", "aacservices-us.apple.com", "aidc-nc.apple.com",
        "aidc-nwk.apple.com", "aidc-uat.apple.com", "aidc.apple.com", "amp-api.books.apple.com",
        "amp-api.fitness.apple.com", "amp-api.media.apple.com", "amp-api.podcasts.apple.com",
        "amp-api.sandbox.apple.com", "amp-api.shazam.apple.com", "amp-api.videos.apple.com", "api-sk.shazam.com",
        "api.books.apple.com", "api.music.apple.com", "api.shazam.apple.com", "api.smoot.apple.cn",
        "apple-pay-gateway.apple.com", "apps.apple.com", "appsto.re", "auth-assistant.apple.com",
        "basejumper.apple.com", "biome-mapreduce.apple.com", "carry.siri.apple.com", "cl1-cn.apple.com",
        "cl1.apple.com", "cl2-cn.apple.com", "cl2.apple.com", "cl3-cn.apple.com", "cl3.apple.com", "cl4-cn.apple.com",
        "cl4.apple.com", "cl5-cn.apple.com", "cl5.apple.com", "clientflow.apple.com",
        "cn-apple-pay-gateway.apple.com", "cn-crt-smp-device.apple.com", "cn-smp-device-content.apple.com",
        "cn-smp-device.apple.com", "cn-smp-paymentservices.apple.com", "concernreports-qa.g.apple.com",
        "concernreports.apple.com", "crt-smp-device.apple.com", "csig-cert.apple.com", "csig-mr.apple.com",
        "csig-pv-cert.apple.com", "csig-pv.apple.com", "csig-st.apple.com", "csig.apple.com", "cstat.apple.com",
        "dejavu.apple.com", "fides.siri.apple.com", "flipper.apple.com", "gdmf-staging-int.apple.com",
        "gil.apple.com", "gsas.apple.com", "gsra-stg.apple.com", "gsra-uat.apple.com", "humb-int.apple.com",
        "humb-stg.apple.com", "idem-pba-test.rno.apple.com", "ingest.ais-test.apple-programs.com",
        "ingest.ais-test.apple-studies.com", "ingest.apple-programs.com", "ingest.apple-studies.com",
        "ingest.carry.studies.apple.com", "ingest.main.teststudies.apple.com", "ingest.qa.teststudies.apple.com",
        "ingest.release.teststudies.apple.com", "ingest.research.studies.apple.com",
        "ingest.stg.ais-test.apple-programs.com", "ingest.stg.ais-test.apple-studies.com",
        "ingest.stg.apple-programs.com", "ingest.stg.apple-studies.com", "ingest.validation.studies.apple.com",
        "ipcdn-uat.apple.com", "ipcdn.apple.com", "keystone-logger.apple.com", "kit-cdn.shazam.com", "kit.shazam.com",
        "konut-cdn-cert.apple.com", "konut-cdn.apple.com", "konut-server-cert.apple.com", "konut-server.apple.com",
        "ma-pba-prod.apple.com", "mficarplaycertificationportal.apple.com", "mficertificationhub.apple.com",
        "msc-pba-prod.apple.com", "odin-signals.apple.com", "payments.apple.com", "pba.apple.com",
        "pba0-test.corp.apple.com", "pba0.apple.com", "pr-pba-prod.apple.com", "remote-list-api-dev.corp.apple.com",
        "seed.siri.apple.com", "selfcert.apple.com", "sequoia.apple.com", "smp-device.apple.com",
        "smp-paymentservices.apple.com", "speechtest2.apple.com", "staging-weather-data.apple.com",
        "swallow.apple.com", "testflight.apple.com", "toolsupdater.apple.com", "tula-aws-apse1.apple.com",
        "tula-aws-euw1.apple.com", "tula-aws-use1.apple.com", "tula-aws-usw2.apple.com", "tula.apple.com",
        "validation.isu.apple.com", "vs-tps-device-cert.apple.com", "vs-tps-device-stage.apple.com",
        "vs-tps-device.apple.com", "vs-tps-reporting-cert.apple.com", "vs-tps-reporting-stage.apple.com",
        "vs-tps-reporting.apple.com", "wallet.apple.com", "warden.net.apple.com", "weather-data.apple.com",
        "wps.apple.com", "www.apple.com", "*.itunes.com", "*.phobos.apple.com", "*.teams.apple-programs.com",
        "*.teams.apple-studies.com", "*.ess.apple.com", "*.health.apple.com",
    ]

    /// Host names whose first label the rules describe by an expression with too many results to list. Some are wider
    /// than the rule.
    static let families = [
        HostFamily(of: "apple.com", labelSuffix: "-smp-device"),
        HostFamily(of: "apple.com", labelSuffix: "-smp-device-dr"),
        HostFamily(of: "apple.com", labelSuffix: "-device-asset-ccs"),
        HostFamily(of: "apple.com", labelSuffix: "-wpc-device"),
        HostFamily(of: "apple.com", labelPrefix: "fpservices-"), HostFamily(of: "apple.com", labelPrefix: "pos-device"),
        HostFamily(of: "apple.com", labelPrefix: "idv-prod"), HostFamily(of: "apay.apple.com", labelPrefix: "idv-cert"),
        HostFamily(of: "corp.apple.com", labelPrefix: "iphonesubmissions"),
        HostFamily(of: "apple.com", labelPart: "ps2ls"), HostFamily(of: "apple.com", labelPart: "sc5mv"),
    ]
}
