internal import CPostgres

/// Parameters with values, as libpq lists them.
struct PostgresOptions {
    private(set) var values: [String: String] = [:]
    private(set) var secrets: [String] = []

    /// The parameters that a connection really uses: from the address, a service file, the environment and libpq's
    /// defaults.
    init(of connection: OpaquePointer) {
        self.init(pq_conninfo(connection))
    }

    /// The parameters of a URI; nil if libpq rejects it. libpq's message repeats the text, so it is dropped. Source:
    /// PostgreSQL 15, section 34.1, PQconninfoParse.
    init?(uri: String) {
        var message: UnsafeMutablePointer<CChar>?
        let options = pq_conninfo_parse(uri, &message)
        if let message { pq_freemem(message) }
        guard let options else { return nil }
        self.init(options)
    }

    private init(_ options: UnsafeMutablePointer<pq_option>?) {
        guard let options else { return }
        defer { pq_conninfo_free(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                values[String(cString: keyword)] = String(cString: value)
                // libpq's own mark for values that must not be shown (PostgreSQL 15, section 34.1, PQconndefaults).
                if String(cString: option.pointee.dispchar) == "*" { secrets.append(String(cString: value)) }
            }
            option += 1
        }
    }

    /// The configured time limit for a host; nil for none or 0. In seconds.
    var connectTimeout: Duration? {
        values["connect_timeout"].flatMap { Int($0) }.flatMap { $0 > 0 ? .seconds($0) : nil }
    }

    /// Returns the reason why connecting cannot work, or nil.
    ///
    /// - Parameter version: libpq's version number.
    func obstacle(version: Int) -> String? {
        guard values["sslrootcert"] == "system", version < 160_000 else { return nil }
        return "sslrootcert=system needs libpq 16, but version \(version / 10_000) is installed: "
            + "name the CA file instead, as in sslrootcert=/etc/ssl/certs/ca-certificates.crt"
    }

    /// The hosts without this one; nil if it was the only one.
    func without(host: String, port: String) -> [String: String]? {
        func list(_ name: String) -> [String] {
            (values[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }
        var (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(names.count, addresses.count)
        guard count > 1 else { return nil }
        func value(_ list: [String], _ index: Int) -> String { index < list.count ? list[index] : "" }
        let found = (0..<count).first { index in
            let itsPort = ports.count == 1 ? ports[0] : value(ports, index)
            return [value(names, index), value(addresses, index)].contains(host)
                && (itsPort == port || itsPort.isEmpty)
        }
        let index = found ?? 0
        names.remove(index, of: count)
        addresses.remove(index, of: count)
        ports.remove(index, of: count)
        return [("host", names), ("hostaddr", addresses), ("port", ports)]
            .reduce(into: [:]) { $0[$1.0] = $1.1.joined(separator: ",") }
    }
}

extension [String] {
    /// Removes one item of a list with one for each host. A shorter list applies to all hosts and stays.
    fileprivate mutating func remove(_ index: Int, of count: Int) {
        if self.count == count { remove(at: index) }
    }
}
