public import Text

extension HostPatterns {
    /// Hosts of Apple's own services that break when somebody decrypts them: devices ask for them all the time, whatever
    /// app is tested.
    ///
    /// Source: Apple Support, "Use Apple products on enterprise networks" (101555, formerly HT210060): services fail
    /// any connection that is intercepted, and interception is to be disabled for the hosts listed there. Documented;
    /// the list is as of October 2025, without hosts that are reached by http alone.
    public static let appleServices = HostPatterns([
        // Push notifications, and setting devices up.
        "*.push.apple.com", "albert.apple.com", "captive.apple.com", "gs.apple.com", "humb.apple.com",
        "static.ips.apple.com", "sq-device.apple.com", "tbsc.apple.com",
        // Management of devices.
        "axm-adm-enroll.apple.com", "axm-adm-mdm.apple.com", "axm-adm-scep.apple.com", "axm-app.apple.com",
        "deviceenrollment.apple.com", "deviceservices-external.apple.com", "gdmf.apple.com", "identity.apple.com",
        "iprofiles.apple.com", "mdmenrollment.apple.com", "setup.icloud.com", "vpp.itunes.apple.com",
        // Updates.
        "appldnld.apple.com", "configuration.apple.com", "gg.apple.com", "gnf-mdn.apple.com", "gnf-mr.apple.com",
        "ig.apple.com", "mesu.apple.com", "osrecovery.apple.com", "skl.apple.com", "swcdn.apple.com",
        "swdist.apple.com", "swdownload.apple.com", "swscan.apple.com", "updates.cdn-apple.com", "xp.apple.com",
        // App Store and caching.
        "*.apps.apple.com", "*.itunes.apple.com", "*.mzstatic.com", "itunes.apple.com", "lcdn-locator.apple.com",
        "lcdn-registration.apple.com", "ppq.apple.com", "serverstatus.apple.com",
        // Certificates and names.
        "certs.apple.com", "crl.apple.com", "ocsp.apple.com", "ocsp2.apple.com", "valid.apple.com",
        "app-site-association.cdn-apple.com", "doh.dns.apple.com",
        // Apple Account and iCloud.
        "account.apple.com", "appleid.apple.com", "appleid.cdn-apple.com", "gsa.apple.com", "idmsa.apple.com",
        "*.apple-cloudkit.com", "*.apple-livephotoskit.com", "*.apzones.com", "*.gc.apple.com", "*.icloud.apple.com",
        "*.icloud-content.com", "*.icloud.com", "*.icloud.com.cn", "*.iwork.apple.com", "mask-h2.icloud.com",
        "mask.icloud.com",
        // Siri and search.
        "*.smoot.apple.com", "guzzoni.apple.com",
    ])
}
