import ATSPolicy
import Text

/// The `config.xml` of a Cordova or Ionic app, or the `plugin.xml` of a plug-in, as the Info.plist that cordova-ios
/// writes from it.
///
/// `<access>` and `<allow-navigation>` become exceptions. Then `<config-file>` and `<edit-config>` add members; those
/// from `<access>` win. Source: apache/cordova-ios, lib/prepare.js (writeATSEntries, parseAllowlistUrlForATS);
/// apache/cordova-common, src/util/plist-helpers.js (graftPLIST); Apache Cordova documentation, "Allow List Guide".
struct CordovaProject {
    private let root: XMLElementNode
    private let source: String

    /// The root elements of the two files.
    static let roots = ["widget", "plugin"]

    init(_ root: XMLElementNode, source: String) {
        self.root = root
        self.source = source
    }

    /// The elements that count on iOS: those of the document, then those of its platform.
    private var elements: [XMLElementNode] {
        root.children + root.all("platform").filter { $0.attributes["name"] == "ios" }.flatMap(\.children)
    }

    /// The members of the Info.plist, below the name of the root element.
    ///
    /// - Throws: for an element for the Info.plist that is not a property list.
    func tree() throws(DeclarationError) -> PropertyNode {
        var members: [PropertyMember] = []
        for element in elements where ["config-file", "edit-config"].contains(element.name) {
            guard let member = try grafted(element) else { continue }
            guard let index = members.firstIndex(where: { $0.key == member.key }) else {
                members.append(member)
                continue
            }
            members[index].node = merged(members[index].node, over: member.node)
        }
        if let access, root.name == "widget" {
            if let index = members.firstIndex(where: { $0.key == ATSKey.root }) {
                members[index].node = merged(access.node, over: members[index].node)
            } else {
                members.append(access)
            }
        }
        if let bundleID = root.attributes["ios-CFBundleIdentifier"] ?? root.attributes["id"], root.name == "widget" {
            members.append(PropertyMember(key: "CFBundleIdentifier", node: PropertyNode(.string(bundleID))))
        }
        let list = PropertyMember(key: "Info.plist", node: PropertyNode(.dictionary(members), line: root.line))
        return PropertyNode(
            .dictionary([PropertyMember(key: root.name, node: PropertyNode(.dictionary([list]), line: root.line))]),
            line: root.line)
    }

    /// The member that an element adds to the Info.plist; nil for an element for another file.
    private func grafted(_ element: XMLElementNode) throws(DeclarationError) -> PropertyMember? {
        let isEdit = element.name == "edit-config"
        guard element.attributes[isEdit ? "file" : "target"]?.hasSuffix("Info.plist") == true,
            let key = element.attributes[isEdit ? "target" : "parent"]
        else { return nil }
        guard let value = element.children.first?.property else {
            guard key == ATSKey.root else { return nil }
            throw DeclarationError(
                source: source, keyPath: key, line: element.line,
                what: "<\(element.name)> does not contain a value of a property list")
        }
        return PropertyMember(key: key, keyLine: element.line, node: value)
    }

    /// Both dictionaries in one; members of `first` win. Any other value is replaced by the later one.
    private func merged(_ first: PropertyNode, over other: PropertyNode) -> PropertyNode {
        guard case .dictionary(let own) = first.value, case .dictionary(let more) = other.value else { return other }
        return PropertyNode(.dictionary(own + more.filter { own.last($0.key) == nil }), line: other.line ?? first.line)
    }
}

// MARK: - Access

extension CordovaProject {
    /// `NSAppTransportSecurity` as cordova-ios writes it from the allow lists; nil if they name no host.
    private var access: PropertyMember? {
        let navigations = elements.filter { $0.name == "allow-navigation" }.map { ($0, $0.attributes["href"]) }
        let accesses = elements.filter { $0.name == "access" }.map { ($0, $0.attributes["origin"]) }
        var globals: [PropertyMember] = []
        var entries: [PropertyMember] = []
        var firstLine: Int?
        for case (let element, let place?) in navigations + accesses {
            guard let pattern = CordovaPattern(place) else { continue }
            firstLine = firstLine ?? element.line
            if pattern.host == "*" {
                for key in globalKeys(of: element, isEverything: place == "*") where globals.last(key) == nil {
                    globals.append(Self.flag(key, true, element.line))
                }
                continue
            }
            let settings = settings(of: element, pattern)
            if let index = entries.firstIndex(where: { $0.key == pattern.host }),
                case .dictionary(let old) = entries[index].node.value
            {
                entries[index].node.value = .dictionary(old.filter { settings.last($0.key) == nil } + settings)
            } else {
                let node = PropertyNode(.dictionary(settings), line: element.line)
                entries.append(PropertyMember(key: pattern.host, keyLine: element.line, node: node))
            }
        }
        guard let firstLine else { return nil }
        if !entries.isEmpty {
            let node = PropertyNode(.dictionary(entries), line: entries.first?.keyLine)
            globals.append(PropertyMember(key: ATSKey.exceptionDomains, keyLine: entries.first?.keyLine, node: node))
        }
        return PropertyMember(
            key: ATSKey.root, keyLine: firstLine, node: PropertyNode(.dictionary(globals), line: firstLine))
    }

    /// The global keys for an element that allows every host.
    ///
    /// - Parameter isEverything: true for the pattern `*`. Only this one reads the narrower keys.
    private func globalKeys(of element: XMLElementNode, isEverything: Bool) -> [String] {
        let narrower = [
            ("allows-arbitrary-loads-in-web-content", ATSKey.inWebContent),
            ("allows-arbitrary-loads-in-media", ATSKey.forMedia), ("allows-arbitrary-loads-for-media", ATSKey.forMedia),
            ("allows-local-networking", ATSKey.localNetworking),
        ]
        return [ATSKey.arbitraryLoads]
            + narrower.filter { isEverything && element.attributes[$0.0] == "true" }.map(\.1)
    }

    /// The members of an entry: only values that differ from Apple's defaults are written.
    private func settings(of element: XMLElementNode, _ pattern: CordovaPattern) -> [PropertyMember] {
        var settings: [PropertyMember] = []
        if pattern.includesSubdomains { settings.append(Self.flag(ATSKey.includesSubdomains, true, element.line)) }
        if let version = element.attributes["minimum-tls-version"], version != "TLSv1.2" {
            settings.append(
                PropertyMember(
                    key: ATSKey.minimumTLS, keyLine: element.line,
                    node: PropertyNode(.string(version), line: element.line)))
        }
        if let secrecy = element.attributes["requires-forward-secrecy"], !secrecy.isEmpty, secrecy != "true" {
            settings.append(Self.flag(ATSKey.forwardSecrecy, false, element.line))
        }
        if element.attributes["requires-certificate-transparency"] == "true" {
            settings.append(Self.flag(ATSKey.certificateTransparency, true, element.line))
        }
        if pattern.isCleartext { settings.append(Self.flag(ATSKey.insecureHTTP, true, element.line)) }
        return settings
    }

    private static func flag(_ key: String, _ flag: Bool, _ line: Int) -> PropertyMember {
        PropertyMember(key: key, keyLine: line, node: PropertyNode(.boolean(flag), line: line))
    }
}

/// The host of an allow list's pattern, as cordova-ios takes it from the URL.
private struct CordovaPattern {
    /// `*` for every host.
    let host: String
    let includesSubdomains: Bool
    let isCleartext: Bool

    /// - Returns: nil for a pattern without a host, such as `tel:*`.
    init?(_ text: String) {
        guard text != "*" else {
            (host, includesSubdomains, isCleartext) = ("*", false, false)
            return
        }
        guard let mark = text.firstRange(of: "://") else { return nil }
        // A wildcard in the scheme counts as http.
        let scheme = text[..<mark.lowerBound].lowercased()
        isCleartext = scheme == "http" || scheme.contains("*")
        let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        var name = String(place.first == "[" ? place.prefix { $0 != "]" }.dropFirst() : place.prefix { $0 != ":" })
        if isCleartext || ["https", "ws", "wss"].contains(scheme) { name = name.lowercased() }
        guard !name.isEmpty else { return nil }
        includesSubdomains = name.hasPrefix("*.")
        host = includesSubdomains ? String(name.dropFirst(2)) : name
        guard !host.isEmpty else { return nil }
    }
}
