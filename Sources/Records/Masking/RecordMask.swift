import ATSPolicy
import Bytes

/// Masks names in records as they are filed: before any sink has seen them, and off the path of a load.
///
/// Records share parts, by whose identity their forms are found again, so masked parts are kept.
public struct RecordMask: Sendable {
    private let names: NameMask
    private var policies = WeighedCache<ObjectIdentifier, (policy: RecordedPolicy, masked: RecordedPolicy)>(
        .masks, limit: 1 << 20, count: partLimit)
    private var origins = WeighedCache<OriginKey, (origin: RecordedOrigin, masked: RecordedOrigin)>(
        .masks, limit: 4 << 20, count: partLimit)
    private var certificates = WeighedCache<OriginKey, (origin: RecordedOrigin, known: KnownNames)>(
        .masks, limit: 4 << 20, count: partLimit)

    /// An origin, and the host that was asked for.
    private struct OriginKey: Hashable {
        let origin: ObjectIdentifier
        let host: String
    }

    /// - Parameter names: hides what patterns name; what hides everything is for what is written already.
    public init(_ names: NameMask) {
        self.names = names
    }

    /// Masks `record` in place, and lists what was masked in `record.masked`. Its URLs must have lost their queries'
    /// values before.
    public mutating func apply(to record: inout LoadRecord) {
        let host = record.load.target.host
        let known = record.diagnosis == nil && record.device == nil ? KnownNames() : self.known(to: record)
        maskURL(of: &record)
        record.policy = masked(record.policy, &record.masked)
        if let origin = record.origin { record.origin = masked(origin, of: host, &record.masked) }
        maskDiagnosis(of: &record, known)
        maskDevice(of: &record, known)
        RecordFields.catalog.mask(&record, by: names, known)
    }

    /// What the sentences of a record may hold.
    private mutating func known(to record: LoadRecord) -> KnownNames {
        var known = names.known(host: record.load.target.host, entry: record.policy.basis?.entry)
        if let origin = record.origin, let facts = origin.facts {
            let id = OriginKey(origin: ObjectIdentifier(origin), host: record.load.target.host)
            if let learned = certificates.value(for: id)?.known {
                known.add(learned)
            } else {
                var learned = known
                names.learn(facts.served + facts.path, &learned)
                certificates.keep((origin, learned), for: id, bytes: origin.bytes * 2)
                known.add(learned)
            }
        }
        return names.known(known, withPathOf: record.load.pathOfURL) ?? known
    }

    private func maskURL(of record: inout LoadRecord) {
        let target = record.load.target
        let host = names.host(target.host)
        if host != target.host {
            record.load.target = LoadTarget(scheme: target.scheme, host: host, port: target.port)
            record.masked.append("load.url.host")
        }
        var path = URLMask(keepsQueryValues: true, names: names)
        record.load.path = path.path(record.load.path)
        record.masked += path.hid.names(in: "load.url.")
        guard let url = record.load.redirectedFrom else { return }
        var from = URLMask(keepsQueryValues: true, names: names)
        record.load.redirectedFrom = from.url(url)
        record.masked += from.hid.names(in: "load.redirectedFrom.")
    }

    private mutating func masked(_ policy: RecordedPolicy, _ list: inout [String]) -> RecordedPolicy {
        let id = ObjectIdentifier(policy)
        let known = policies.value(for: id)?.masked
        let masked = known ?? names.policy(policy)
        if masked !== policy { list.append("policy.entry") }
        if known == nil { policies.keep((policy, masked), for: id, bytes: policyBytes) }
        return masked
    }

    private mutating func masked(_ origin: RecordedOrigin, of host: String, _ list: inout [String]) -> RecordedOrigin {
        let id = OriginKey(origin: ObjectIdentifier(origin), host: host)
        let known = origins.value(for: id)?.masked
        let masked = known ?? names.origin(origin, of: host)
        if masked !== origin { list.append("origin") }
        if known == nil { origins.keep((origin, masked), for: id, bytes: origin.bytes + masked.bytes) }
        return masked
    }

    private func maskDiagnosis(of record: inout LoadRecord, _ known: KnownNames) {
        guard let diagnosis = record.diagnosis else { return }
        let findings = diagnosis.findings.map { FindingFields.catalog.masked($0, by: names, known) }
        let apple = diagnosis.apple.map { AppleFields.catalog.masked($0, by: names, known) }
        let remedy = diagnosis.remedy.map { RemedyFields.catalog.masked($0, by: names, known) }
        var changed: [String] = []
        if findings != diagnosis.findings { changed.append("findings") }
        if apple != diagnosis.apple { changed.append("apple") }
        if remedy != diagnosis.remedy { changed.append("remedy") }
        guard !changed.isEmpty else { return }
        record.diagnosis = RecordedDiagnosis(findings: findings, apple: apple, remedy: remedy)
        record.masked += changed
    }

    /// The log's name stays, as the policy's file does.
    private func maskDevice(of record: inout LoadRecord, _ known: KnownNames) {
        guard let device = record.device else { return }
        let masked = device.with(
            how: device.how.map { names.sentence($0, known) }, place: device.place,
            proxied: device.proxied.map { names.sentence($0, known) },
            lines: device.lines.map { DeviceLine.masked($0, by: names, known) })
        guard masked != device else { return }
        record.device = masked
        record.masked.append("device")
    }
}

extension NameMask {
    /// The same part where there is nothing to mask.
    fileprivate func policy(_ policy: RecordedPolicy) -> RecordedPolicy {
        guard var basis = policy.basis else { return policy }
        var known = KnownNames()
        known.add(basis.entry, entry)
        basis.keyPath = basis.keyPath.map { sentence($0, known) }
        basis.entry = basis.entry.map(entry)
        guard basis.entry != policy.basis?.entry || basis.keyPath != policy.basis?.keyPath else { return policy }
        return RecordedPolicy(
            source: policy.source, bundleID: policy.bundleID, os: policy.os, basis: basis, line: policy.line,
            mode: policy.mode)
    }

    fileprivate func origin(_ origin: RecordedOrigin, of host: String) -> RecordedOrigin {
        let old = origin.handshake
        let new = handshake(old, of: host)
        let address = origin.address.map(authority)
        guard new != old || address != origin.address else { return origin }
        return RecordedOrigin(address: address, facts: new.facts, failure: new.failure, offer: new.offer)
    }
}

/// More than the connections of a busy gate.
private let partLimit = 2048
/// A policy, about.
private let policyBytes = 512
