/// The options that a configuration file may hold, by their long names.
enum ConfigurationKey: String, CaseIterable {
    case policy, os, assume
    case subdomainDepth = "subdomain-depth"
    case localNets = "local-nets"
    case strictIP = "strict-ip"
    case siblingKeys = "sibling-keys"
    case cbcSHA2 = "cbc-sha2"
    case legacyKeys = "legacy-keys"
    case addressKeys = "address-keys"
    case builtInExceptions = "built-in-exceptions"
    case pinWhenATSOff = "pin-when-ats-off"
    case mode, refuse, passthrough
    case appOverridesTrust = "app-overrides-trust"
    case appPin = "app-pin"
    case listen
    case portFile = "port-file"
    case allowLAN = "allow-lan"
    case web
    case connectTo = "connect-to"
    case roots
    case extraCA = "extra-ca"
    case ctLogs = "ct-logs"
    case timeout, drain
    case caDirectory = "ca-dir"
    case store, recording, json
    case verbose, quiet

    /// Takes true or false instead of a value.
    var isFlag: Bool {
        switch self {
        case .allowLAN, .verbose, .quiet: true
        case .policy, .os, .assume, .subdomainDepth, .localNets, .strictIP, .siblingKeys, .cbcSHA2, .legacyKeys,
            .addressKeys, .builtInExceptions, .pinWhenATSOff, .mode, .refuse, .passthrough, .appOverridesTrust,
            .appPin, .listen, .portFile, .web, .connectTo, .roots, .extraCA, .ctLogs, .timeout, .drain, .caDirectory,
            .store,
            .recording, .json:
            false
        }
    }

    /// The name that was probably meant; nil when none comes close.
    static func nearest(to name: String) -> String? {
        let wanted = name.lowercased().replacing("_", with: "-")
        let best = allCases.map { (distance: editDistance(wanted, $0.rawValue), name: $0.rawValue) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= max(2, wanted.count / 3) else { return nil }
        return best.name
    }
}

/// Insertions, deletions and replacements that lead from one text to the other (Levenshtein).
private func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (line, character) in left.enumerated() {
        var diagonal = line
        row[0] = line + 1
        for column in right.indices {
            let replaced = diagonal + (right[column] == character ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
        }
    }
    return row[right.count]
}
