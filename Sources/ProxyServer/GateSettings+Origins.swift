public import ProxyCore
public import TLSEngine

/// Reads the files with trusted roots and client certificates.
extension GateSettings {
    /// Reads roots and the list of transparency logs.
    ///
    /// - Parameter willRead: receives the path of each file before it is read.
    public func readTrust(willRead: (String) -> Void = { _ in }) throws(GateError) -> TrustStore {
        for path in roots + extraCAs { willRead(path) }
        let logs = try readLogs(willRead)
        do throws(TrustStoreError) {
            return try TrustStore(
                systemRootsPEM: roots, platformBundle: roots.isEmpty ? TrustStore.platformBundlePath() : nil,
                userRootsPEM: extraCAs, logs: logs)
        } catch {
            throw .trust(error)
        }
    }

    /// Reads the client certificates.
    ///
    /// - Parameter willRead: receives the path of each file before it is read.
    public func readIdentities(willRead: (String) -> Void = { _ in }) throws(GateError) -> ClientIdentities {
        var entries: [ClientIdentities.Entry] = []
        for file in clientCertificates {
            willRead(file.path)
            do throws(ClientIdentityError) {
                let identity = try ClientIdentity(path: file.path)
                entries.append(ClientIdentities.Entry(host: file.host, port: file.port, identity: identity))
            } catch {
                throw .clientCertificate(error)
            }
        }
        return ClientIdentities(entries)
    }

    private func readLogs(_ willRead: (String) -> Void) throws(GateError) -> TransparencyLogs? {
        guard let path = ctLogs else { return nil }
        willRead(path)
        do throws(TransparencyLogsError) {
            return try TransparencyLogs(path: path)
        } catch {
            throw .logs(error)
        }
    }
}
