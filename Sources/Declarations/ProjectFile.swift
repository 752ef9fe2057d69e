import ATSPolicy

/// The dictionaries in a file of a known tool: those of its products, and those of Info.plists that the tool merges.
struct ProjectFile {
    let form: ProjectForm
    let file: LoadedDeclaration.File
    let members: [PropertyMember]
    /// Reads a file by its path relative to the project file; nil if it does not exist.
    typealias Sibling = (String) throws(DeclarationError) -> LoadedDeclaration?

    /// At least one; of several, each has the name of its product.
    func declarations(sibling: Sibling) throws(DeclarationError) -> [LoadedDeclaration] {
        var found: [LoadedDeclaration] = []
        for place in form.places {
            for (keys, node) in members.nodes(at: place) {
                found += [try declaration(of: node, keys: keys, sibling)].compactMap(\.self)
            }
        }
        // A product without its own keys gets the defaults of the tool.
        found += products.filter { name in !found.contains { $0.bundleName == name } }.compactMap(unset)
        let isSet = found.contains { !$0.declaration.isUnset }
        if !isSet, let merged = try mergedSibling(sibling) { return [merged] }
        if !isSet, let exception = try hostException() { return [exception] }
        if found.count > 1, form.platform == nil, products.isEmpty {
            // The same keys for two platforms: those of the platform that sets none do not differ from the defaults.
            found.removeAll { $0.declaration.isUnset && isSet }
        }
        guard found.isEmpty else { return found }
        let place = form.places.first.flatMap { $0.contains("*") ? nil : keyPath($0) } ?? ""
        return [try loaded([], at: place, line: nil, name: nil, role: .file)].compactMap(\.self)
    }

    private func declaration(
        of node: PropertyNode, keys: [String], _ sibling: Sibling
    ) throws(DeclarationError) -> LoadedDeclaration? {
        let isProduct = form.places.contains { $0.contains("*") }
        let name = isProduct ? keys.dropFirst().first : form.places.count > 1 ? keyPath(keys) : nil
        if case .string(let path) = node.value { return try sibling(path) }
        guard case .dictionary(let own) = node.value else { return nil }
        guard let role = name.map(role) ?? .file else { return nil }
        let all = name.map { deepMerged(own, templates(of: $0)) } ?? own
        return try loaded(all, at: keyPath(keys), line: node.line, name: name, role: role)
    }

    private func loaded(
        _ top: [PropertyMember], at keyPath: String, line: Int?, name: String?, role: LoadedDeclaration.Role
    ) throws(DeclarationError) -> LoadedDeclaration? {
        let place = DeclarationPlace(
            file: form.file, keyPath: keyPath, bundleID: members.text(at: form.identifier), platform: form.platform)
        let declaration = try Declaration(infoPlist: top, at: place, line: line, source: file.source)
        return LoadedDeclaration(declaration, of: file, role: role, bundleName: name)
    }

    /// A key path as people write it. The names of this program's own trees are left out.
    private func keyPath(_ keys: [String]) -> String {
        let own = CordovaProject.roots + [SwiftManifest.rootKey]
        guard let first = keys.first, own.contains(first) else { return keys.joined(separator: ".") }
        return CordovaProject.roots.contains(first) ? "" : keys.dropFirst().joined(separator: ".")
    }

    private func keyPath(_ path: String) -> String { keyPath(path.split(separator: "/").map(String.init)) }
}

// MARK: - XcodeGen

extension ProjectFile {
    /// The apps and extensions of the project.
    private var products: [String] {
        guard form.places.contains(where: { $0.hasPrefix("targets/") }) else { return [] }
        return members.nodes(at: "targets/*").compactMap(\.keys.last).filter { role($0) != nil }
    }

    /// nil for a product whose Info.plist does not matter for loads: a framework, or a bundle of tests. Source:
    /// XcodeGen, "Project Spec", section "Product Type".
    private func role(_ product: String) -> LoadedDeclaration.Role? {
        guard form.places.contains(where: { $0.hasPrefix("targets/") }) else { return .app }
        guard let type = members.text(at: "targets/\(product)/type") else { return .app }
        if type.contains("extension") { return .appExtension }
        return type.hasPrefix("application") || type.hasPrefix("tool") || type.hasPrefix("xpc") ? .app : nil
    }

    /// The keys that the templates of a target add.
    private func templates(of product: String) -> [PropertyMember] {
        guard case .array(let names)? = members.node(at: "targets/\(product)/templates")?.value else { return [] }
        return names.reduce(into: []) { merged, name in
            guard case .string(let name) = name.value,
                case .dictionary(let keys)? = members.node(at: "targetTemplates/\(name)/info/properties")?.value
            else { return }
            merged = deepMerged(merged, keys)
        }
    }

    /// Both dictionaries; values of the first win, and dictionaries in both are merged.
    private func deepMerged(_ own: [PropertyMember], _ more: [PropertyMember]) -> [PropertyMember] {
        guard !more.isEmpty else { return own }
        let inner = own.map { member in
            guard case .dictionary(let first) = member.node.value,
                case .dictionary(let second)? = more.last(member.key)?.node.value
            else { return member }
            var member = member
            member.node.value = .dictionary(deepMerged(first, second))
            return member
        }
        return inner + more.filter { own.last($0.key) == nil }
    }

    /// The declaration of a target without `info.properties`.
    private func unset(_ product: String) -> LoadedDeclaration? {
        let keys = templates(of: product)
        var loaded = try? loaded(
            keys, at: "targets.\(product).info.properties", line: members.node(at: "targets/\(product)")?.line,
            name: product, role: role(product) ?? .app)
        let settings = ["settings/base/INFOPLIST_FILE", "settings/INFOPLIST_FILE"]
        if let other = settings.lazy.compactMap({ members.text(at: "targets/\(product)/\($0)") }).first {
            loaded?.declaration.notes = ["The keys of \(product) are in \(other), which INFOPLIST_FILE names."]
            loaded?.declaration.isUnset = false
        }
        return loaded
    }
}

// MARK: - Tauri and Capacitor

extension ProjectFile {
    /// The Info.plist next to the project that sets the dictionary.
    private func mergedSibling(_ sibling: Sibling) throws(DeclarationError) -> LoadedDeclaration? {
        var unset: LoadedDeclaration?
        for path in form.siblings {
            guard var found = try sibling(path) else { continue }
            found.declaration.bundleID = members.text(at: form.identifier) ?? found.declaration.bundleID
            found.declaration.platform = form.platform ?? found.declaration.platform
            if !found.declaration.isUnset {
                found.declaration.notes.append("The \(form.file) \(file.source) sets no ATS keys; \(path) does.")
                return found
            }
            unset = unset ?? found
        }
        return form.exceptionHost.flatMap { members.text(at: $0) } == nil ? unset : nil
    }

    /// The entry that Tauri writes for its key `exceptionDomain`: http is allowed, with subdomains. Source:
    /// tauri-apps/tauri, tauri-bundler, bundle/macos/app.rs.
    private func hostException() throws(DeclarationError) -> LoadedDeclaration? {
        guard let path = form.exceptionHost, let node = members.node(at: path), case .string(let host) = node.value
        else { return nil }
        func member(_ key: String, _ value: PropertyValue) -> PropertyMember {
            PropertyMember(key: key, keyLine: node.line, node: PropertyNode(value, line: node.line))
        }
        let entry = member(
            host,
            .dictionary([
                member(ATSKey.insecureHTTP, .boolean(true)), member(ATSKey.includesSubdomains, .boolean(true)),
            ]))
        let root = member(ATSKey.root, .dictionary([member(ATSKey.exceptionDomains, .dictionary([entry]))]))
        return try loaded([root], at: keyPath(path), line: node.line, name: nil, role: .file)
    }
}
