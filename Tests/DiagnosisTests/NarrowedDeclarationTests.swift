import ATSPolicy
import Diagnosis
import Dictionaries
import Testing

/// A dictionary without the entries that cannot match a host, for an explanation of that host.
struct NarrowedDeclarationTests {
    @Test("an explanation is the same without the entries for other hosts", arguments: 1...60 as ClosedRange<UInt64>)
    func sameWords(seed: UInt64) throws {
        var dictionaries = RandomDictionary(seed: seed)
        let whole = pinned(dictionaries.next()) { dictionaries.chance(2) }
        let problems = Linter().lint(whole).problems
        for host in RulingTable.hosts(of: whole).sorted() where dictionaries.chance(5) {
            let url = "\(dictionaries.chance(2) ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host)/"
            guard let target = try? URLText.parse(url).target else { continue }
            let profile = OSProfile.all[Int(seed) % OSProfile.all.count]
            let loader = Loader.allCases[Int(seed) % Loader.allCases.count]
            func words(_ declaration: Declaration) throws -> String {
                let judge = Judge(declaration: declaration, profile: profile)
                return try Explanation(url: url, judge: judge, loader: loader, problems: problems)
                    .words(isVerbose: true, asCommands: true)
            }
            #expect(try words(whole.narrowed(to: target)) == words(whole), "\(url) on \(profile.name)")
        }
    }

    @Test("only entries and pins for the host, its parents and ranges remain")
    func remaining() throws {
        let entry = PropertyNode(.dictionary([]))
        func list(_ name: String, _ keys: String...) -> PropertyMember {
            PropertyMember(
                key: name, node: PropertyNode(.dictionary(keys.map { PropertyMember(key: $0, node: entry) })))
        }
        let whole = Declaration.secureDefaults.with([
            list("NSExceptionDomains", "a.example.com", "example.com", "b.example.com", "10.0.0.0/8", "10.1.2.3"),
            list("NSPinnedDomains", "EXAMPLE.com", "b.example.com"),
        ])
        func keys(_ host: String) -> [[String]] {
            let target = LoadTarget(scheme: .https, host: host, port: 443)
            return whole.narrowed(to: target).members.compactMap {
                if case .dictionary(let entries) = $0.node.value { entries.map(\.key) } else { nil }
            }
        }
        #expect(keys("a.example.com") == [["a.example.com", "example.com"], ["EXAMPLE.com"]])
        #expect(keys("b.example.com.") == [["example.com", "b.example.com"], ["EXAMPLE.com", "b.example.com"]])
        #expect(keys("10.66051") == [["10.0.0.0/8", "10.1.2.3"], []])
        #expect(keys("other.test") == [[], []])
    }

    /// Adds pins for some of the hosts of dictionaries.
    private func pinned(_ declaration: Declaration, by chance: () -> Bool) -> Declaration {
        let identity = PropertyMember(
            key: ATSKey.pinIdentity, node: PropertyNode(.string("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")))
        let pins = RandomDictionary.hosts.filter { _ in chance() }.map { host in
            PropertyMember(
                key: host,
                node: PropertyNode(
                    .dictionary([
                        PropertyMember(
                            key: ATSKey.includesSubdomains,
                            node: PropertyNode(.boolean(chance()))),
                        PropertyMember(
                            key: ATSKey.leafPins,
                            node: PropertyNode(.array([PropertyNode(.dictionary([identity]))]))),
                    ])))
        }
        return declaration.with(
            declaration.members + [PropertyMember(key: ATSKey.pinnedDomains, node: PropertyNode(.dictionary(pins)))])
    }
}
