import Text

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
