internal import COpenSSL
internal import Foundation

extension ListedLogs {
    /// Reads a CTLOG_FILE: `enabled_logs` names sections, each with the `key` of a log. The format has no operators,
    /// states or dates, so all its logs are approved. Source: CTLOG_STORE_new(3), ct_log.c of OpenSSL 3.0.
    init(configuration bytes: [UInt8]) throws(TransparencyLogsError.Fault) {
        guard let configuration = NCONF_new(nil) else { throw .init(place: nil, what: "out of memory") }
        defer {
            NCONF_free(configuration)
            ErrorQueue.clear()
        }
        var line = 0
        let isRead = bytes.withUnsafeBytes { bytes in
            guard let source = MemoryBIO(reading: bytes) else { return false }
            return NCONF_load_bio(configuration, source.raw, &line) == 1
        }
        guard isRead else {
            throw .init(place: "line \(line)", what: "neither JSON nor a setting or section of a CTLOG_FILE")
        }
        guard let enabled = NCONF_get_string(configuration, nil, "enabled_logs").map({ String(cString: $0) }) else {
            throw .init(place: "enabled_logs", what: "this setting is missing, and the file is not JSON")
        }
        for name in enabled.split(separator: ",") {
            let section = name.trimmingCharacters(in: .whitespaces)
            if section.isEmpty { continue }
            guard let key = NCONF_get_string(configuration, section, "key") else {
                throw .init(place: "[\(section)]", what: "the section or its key is missing")
            }
            guard let log = TransparencyLog(keyBase64: String(cString: key)) else {
                throw .init(place: "[\(section)] key", what: "not a public key in Base64")
            }
            logs.append(log)
        }
    }
}
