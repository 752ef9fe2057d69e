import ATSPolicy
import Testing

/// The decision table. Each row is copied from docs/law and checks fourteen rulings, one for each canonical profile.
struct VectorTests {
    static let groups = localGroups + keyGroups + loaderGroups + entryGroups + nameGroups + addressGroups + rareGroups

    @Test("each row holds on each profile", arguments: groups)
    func table(_ group: VectorGroup) throws {
        let declaration = try declaration(group.dictionary)
        let judges = OSProfile.all.map { Judge(declaration: declaration, profile: $0) }
        for row in group.rows {
            try #require(row.expected.count == Self.generations, "\(row.text)")
            for (index, judge) in judges.enumerated() {
                let generation = index / 2
                let expected = row.expected[min(generation, Self.generations - 1)]
                let ruling = judge.rule(on: try #require(row.target), loader: group.loader)
                #expect(
                    VectorAnswer(ruling).text == expected,
                    "\(group.section), \(row.text) on \(judge.profile.name), loaded by \(group.loader)")
                try check(expected, ruling, generation)
            }
        }
    }

    @Test("there are at least 400 vectors")
    func count() {
        #expect(Self.groups.map(\.rows.count).reduce(0, +) * Self.generations * 2 >= 400)
    }

    /// Checks the offer against the lists of docs/law/tls.md#suites, combined as in docs/law/rulings.md#demands.
    private func check(_ expected: String, _ ruling: Ruling, _ generation: Int) throws {
        guard let offer = ruling.permit?.offer else { return }
        var codes = generation < 2 ? VectorSuites.coreTLS : VectorSuites.since15_4
        let rsa = generation < 2 ? VectorSuites.rsaTo15_3 : VectorSuites.rsaSince15_4
        if expected.hasSuffix("if") || expected == "0" {
            codes += rsa + VectorSuites.tripleDES + (generation == 0 ? VectorSuites.rc4 : [])
        } else if expected.hasSuffix("f") {
            codes = rsa + codes
        } else if expected.hasSuffix("n") {
            codes = VectorSuites.fcp
        }
        // SuiteOrderTests has the orders, which differ between releases with the same suites.
        #expect(offer.suites.map(\.code).sorted() == codes.sorted())
        let newest: TLSVersion = generation < 2 ? .tls12 : .tls13
        #expect(offer.maximum == newest)
        let demands = ruling.permit?.demands
        #expect(demands == nil || demands?.suites == offer.suites)
        // If the release lacks the minimum, every load fails (docs/law/tls.md#versions): the gate offers what it can.
        #expect(offer.minimum == min(newest, demands?.minimumTLS ?? (generation < 4 ? .tls10 : .tls12)))
    }

    /// ios9, ios10, ios17, ios18.4, ios26, ios26.4; each with its twin. ios27 uses the last column, because it has the
    /// rules of 26.4. A separate test covers its difference (docs/law/profiles.md#ios-27).
    private static let generations = 6
}

/// A dictionary, a loader, and a text table: a URL and six answers on each line.
///
/// Answers: `+` and `-` for http. For https `0` if ATS demands nothing, else the lowest version. Suffixes: `i` if the
/// app may override trust (AllowsInsecure), `f` if forward secrecy is waived, `c` for Certificate Transparency, `n` for
/// NIAP.
struct VectorGroup: Sendable, CustomTestStringConvertible {
    let section: String
    let dictionary: PropertyValue
    let loader: Loader
    let rows: [Row]

    struct Row: Sendable {
        let text: String
        let expected: [String]

        var target: LoadTarget? {
            let isSecure = text.hasPrefix("https://")
            let host = text.dropFirst(isSecure ? 8 : 7).filter { $0 != "[" && $0 != "]" }
            return LoadTarget(scheme: isSecure ? .https : .http, host: String(host), port: isSecure ? 443 : 80)
        }
    }

    init(_ section: String, _ dictionary: PropertyValue, by loader: Loader = .app, _ table: String) {
        self.section = section
        self.dictionary = dictionary
        self.loader = loader
        rows = table.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return Row(text: String(words.first ?? ""), expected: words.dropFirst().map(String.init))
        }
    }

    var testDescription: String { "\(section), \(rows.first?.text ?? "") by \(loader)" }
}

/// A ruling in the notation of the tables.
struct VectorAnswer {
    let text: String

    init(_ ruling: Ruling) {
        guard let permit = ruling.permit else {
            text = "-"
            return
        }
        guard permit.target.scheme == .https else {
            text = "+"
            return
        }
        guard let demands = permit.demands else {
            text = "0"
            return
        }
        text =
            demands.minimumTLS.name + (demands.strictTrust ? "" : "i") + (demands.forwardSecrecy ? "" : "f")
            + (demands.requiresCertificateTransparency ? "c" : "") + (demands.niap == nil ? "" : "n")
    }
}

/// The suites of Security, SecProtocolInternal.h, by number, copied from the tables of docs/law/tls.md#suites and
/// docs/law/tls.md#suites-without-forward-secrecy.
enum VectorSuites {
    static let coreTLS: [UInt16] = [
        0xC02C, 0xC02B, 0xC030, 0xC02F, 0xC024, 0xC023, 0xC028, 0xC027, 0xC00A, 0xC009, 0xC014, 0xC013,
    ]
    static let since13: [UInt16] = [
        0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC024, 0xC023, 0xC028, 0xC027, 0xC00A,
        0xC009, 0xC014, 0xC013,
    ]
    static let since15_4: [UInt16] = [
        0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013,
    ]
    static let rsaTo15_3: [UInt16] = [0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F]
    static let rsaSince15_4: [UInt16] = [0x009D, 0x009C, 0x0035, 0x002F]
    /// Without ATS, docs/law/tls.md#system-suites.
    static let tripleDES: [UInt16] = [0xC008, 0xC012, 0x000A]
    static let rc4: [UInt16] = [0xC007, 0xC011, 0x0005, 0x0004]
    /// TLS 1.3 unchanged; for 1.2 only ECDHE with AES-GCM (docs/law/niap.md#package-21).
    static let fcp: [UInt16] = [0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xC030, 0xC02F]
}
