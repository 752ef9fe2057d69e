/// Kernel and CFNetwork versions of Apple's systems. Source: matomo-org/device-detector, ua-parser/uap-core; for 26.5
/// to 27.2 blacktop/ipsw-diffs; docs/law/profiles.md#darwin.
enum DarwinTable {
    /// A kernel version and the releases that use it; nil if there is none, or if it is that of the line before.
    struct Row: Sendable {
        let kernel: OSVersion
        let ios: OSVersion?
        let macos: OSVersion?
    }

    /// Returns the iOS release of a kernel, or of the newest known kernel below it in the same major version.
    static func ios(_ kernel: OSVersion) -> OSVersion? {
        switch kernel.major {
        case 15...20: row(kernel) { $0.ios }
        // Since 21: major minus six, same minor; 25 is "26".
        case 21...24: OSVersion(kernel.major - 6, kernel.minor)
        default: sameYear(kernel)
        }
    }

    /// Returns the macOS release of a kernel, found in the same way. Its minor number lags by one for 12 and 13.
    static func macos(_ kernel: OSVersion) -> OSVersion? {
        switch kernel.major {
        case 15...20: row(kernel) { $0.macos }
        case 21, 22: OSVersion(kernel.major - 9, max(0, kernel.minor - 1))
        case 23, 24: OSVersion(kernel.major - 9, kernel.minor)
        default: sameYear(kernel)
        }
    }

    /// Since 26, for all systems. Early betas of 27 had kernel 26; the release has 27, with the system's own numbers.
    /// Source: blacktop/ipsw-diffs; docs/law/profiles.md#darwin.
    private static func sameYear(_ kernel: OSVersion) -> OSVersion? {
        switch kernel.major {
        case 25: OSVersion(26, kernel.minor)
        case 26: OSVersion(27)
        case 27: OSVersion(27, kernel.minor)
        default: nil
        }
    }

    private static func row(_ kernel: OSVersion, _ system: (Row) -> OSVersion?) -> OSVersion? {
        let known = rows.last { $0.kernel.major == kernel.major && $0.kernel <= kernel && system($0) != nil }
        return known.flatMap(system)
    }

    /// Returns the kernel of a CFNetwork version: that of the newest sample that is not above it.
    static func kernel(ofCFNetwork version: OSVersion) -> OSVersion? {
        guard let newest = samples.last, version.major <= newest.version.major + nextMajors else { return nil }
        return samples.last { $0.version <= version }?.kernel
    }

    /// CFNetwork versions that only Macs had.
    static let macOnlyCFNetwork: Set<Int> = [760, 807]

    private struct Sample: Sendable {
        let version: OSVersion
        let kernel: OSVersion

        init(_ version: OSVersion, _ major: Int, _ minor: Int) {
            self.version = version
            kernel = OSVersion(major, minor)
        }
    }

    /// CFNetwork versions above the newest sample are assigned its kernel up to this distance.
    private static let nextMajors = 20
}

extension DarwinTable.Row {
    fileprivate init(_ major: Int, _ minor: Int, ios: OSVersion?, macos: OSVersion?) {
        self.init(kernel: OSVersion(major, minor), ios: ios, macos: macos)
    }
}

extension DarwinTable {
    private static let rows = [
        Row(15, 0, ios: OSVersion(9), macos: OSVersion(10, 11)),
        Row(15, 4, ios: OSVersion(9, 3), macos: OSVersion(10, 11, 4)),
        Row(15, 5, ios: OSVersion(9, 3, 2), macos: OSVersion(10, 11, 5)),
        Row(15, 6, ios: OSVersion(9, 3, 3), macos: OSVersion(10, 11, 6)),
        Row(16, 0, ios: OSVersion(10), macos: OSVersion(10, 12)),
        Row(16, 1, ios: OSVersion(10, 1), macos: OSVersion(10, 12, 1)),
        Row(16, 3, ios: OSVersion(10, 2), macos: OSVersion(10, 12, 2)),
        Row(16, 5, ios: OSVersion(10, 3), macos: OSVersion(10, 12, 4)),
        Row(16, 6, ios: OSVersion(10, 3, 2), macos: OSVersion(10, 12, 5)),
        Row(16, 7, ios: OSVersion(10, 3, 3), macos: OSVersion(10, 12, 6)),
        Row(17, 0, ios: OSVersion(11), macos: OSVersion(10, 13)),
        Row(17, 2, ios: OSVersion(11, 1), macos: OSVersion(10, 13, 1)),
        Row(17, 3, ios: OSVersion(11, 2), macos: OSVersion(10, 13, 2)),
        Row(17, 4, ios: OSVersion(11, 2, 5), macos: OSVersion(10, 13, 3)),
        Row(17, 5, ios: OSVersion(11, 3), macos: OSVersion(10, 13, 4)),
        Row(17, 6, ios: OSVersion(11, 4), macos: OSVersion(10, 13, 5)),
        Row(17, 7, ios: OSVersion(11, 4, 1), macos: OSVersion(10, 13, 6)),
        Row(18, 0, ios: OSVersion(12), macos: OSVersion(10, 14)),
        Row(18, 2, ios: OSVersion(12, 1), macos: OSVersion(10, 14, 1)),
        Row(18, 5, ios: OSVersion(12, 2), macos: OSVersion(10, 14, 4)),
        Row(18, 6, ios: OSVersion(12, 3), macos: OSVersion(10, 14, 5)),
        Row(18, 7, ios: OSVersion(12, 4), macos: OSVersion(10, 14, 6)),
        Row(19, 0, ios: OSVersion(13), macos: OSVersion(10, 15)),
        Row(19, 2, ios: OSVersion(13, 3), macos: OSVersion(10, 15, 2)),
        Row(19, 3, ios: OSVersion(13, 3, 1), macos: OSVersion(10, 15, 3)),
        Row(19, 4, ios: OSVersion(13, 4), macos: OSVersion(10, 15, 4)),
        Row(19, 5, ios: OSVersion(13, 5), macos: OSVersion(10, 15, 5)),
        Row(19, 6, ios: OSVersion(13, 6), macos: OSVersion(10, 15, 6)),
        Row(20, 0, ios: OSVersion(14), macos: nil),
        Row(20, 1, ios: OSVersion(14, 2), macos: OSVersion(11)),
        Row(20, 2, ios: OSVersion(14, 3), macos: OSVersion(11, 1)),
        Row(20, 3, ios: OSVersion(14, 4), macos: OSVersion(11, 2)),
        Row(20, 4, ios: OSVersion(14, 5), macos: OSVersion(11, 3)),
        Row(20, 5, ios: OSVersion(14, 6), macos: OSVersion(11, 4)),
        Row(20, 6, ios: OSVersion(14, 7), macos: OSVersion(11, 5)),
    ]

    private static let samples = [
        Sample(OSVersion(758, 0), 15, 0), Sample(OSVersion(758, 3), 15, 4), Sample(OSVersion(758, 4), 15, 5),
        Sample(OSVersion(758, 5), 15, 6), Sample(OSVersion(760), 15, 0), Sample(OSVersion(807), 16, 0),
        Sample(OSVersion(808, 0), 16, 0), Sample(OSVersion(808, 1), 16, 1), Sample(OSVersion(808, 2), 16, 3),
        Sample(OSVersion(811, 4), 16, 5), Sample(OSVersion(811, 5), 16, 6), Sample(OSVersion(887), 17, 0),
        Sample(OSVersion(889, 9), 17, 2), Sample(OSVersion(893, 10), 17, 3), Sample(OSVersion(894), 17, 4),
        Sample(OSVersion(897, 15), 17, 5), Sample(OSVersion(901, 1), 17, 6), Sample(OSVersion(902, 2), 17, 7),
        Sample(OSVersion(974, 2), 18, 0), Sample(OSVersion(975, 0), 18, 2), Sample(OSVersion(978, 0), 18, 5),
        Sample(OSVersion(1107, 1), 19, 0), Sample(OSVersion(1121, 2), 19, 2), Sample(OSVersion(1125, 2), 19, 4),
        Sample(OSVersion(1126), 19, 5), Sample(OSVersion(1128, 0), 19, 6), Sample(OSVersion(1197), 20, 0),
        Sample(OSVersion(1206), 20, 1), Sample(OSVersion(1209), 20, 2), Sample(OSVersion(1220, 1), 20, 3),
        Sample(OSVersion(1237), 20, 4), Sample(OSVersion(1240, 0), 20, 5), Sample(OSVersion(1312), 21, 0),
        Sample(OSVersion(1325, 0), 21, 1), Sample(OSVersion(1327, 0), 21, 2), Sample(OSVersion(1329), 21, 3),
        Sample(OSVersion(1331, 0), 21, 4), Sample(OSVersion(1333, 0), 21, 5), Sample(OSVersion(1335, 0), 21, 6),
        Sample(OSVersion(1390), 22, 0), Sample(OSVersion(1399), 22, 1), Sample(OSVersion(1402, 0), 22, 2),
        Sample(OSVersion(1404, 0), 22, 3), Sample(OSVersion(1406, 0), 22, 4), Sample(OSVersion(1408, 0), 22, 5),
        Sample(OSVersion(1410, 0), 22, 6), Sample(OSVersion(1474), 23, 0), Sample(OSVersion(1485), 23, 1),
        Sample(OSVersion(1490, 0), 23, 2), Sample(OSVersion(1492, 0), 23, 3), Sample(OSVersion(1494, 0), 23, 4),
        Sample(OSVersion(1496, 0), 23, 5), Sample(OSVersion(1498, 700), 23, 6), Sample(OSVersion(1568, 100), 24, 0),
        Sample(OSVersion(1568, 300), 24, 2), Sample(OSVersion(3826, 400), 24, 3),
        Sample(OSVersion(3826, 500, 62), 24, 4),
        Sample(OSVersion(3826, 500, 131), 24, 5), Sample(OSVersion(3826, 600), 24, 6),
        Sample(OSVersion(3860, 100), 25, 0), Sample(OSVersion(3860, 200), 25, 1), Sample(OSVersion(3860, 300), 25, 2),
        Sample(OSVersion(3860, 400), 25, 3), Sample(OSVersion(3860, 500), 25, 4), Sample(OSVersion(3860, 600), 25, 5),
        Sample(OSVersion(3860, 700), 25, 6), Sample(OSVersion(3870), 26, 0), Sample(OSVersion(3886), 27, 0),
        Sample(OSVersion(3896, 200), 27, 2),
    ]
}
