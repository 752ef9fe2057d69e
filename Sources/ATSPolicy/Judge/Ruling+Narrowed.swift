extension Ruling {
    /// Returns the ruling that is not more lenient than either: a denial if one of them denies, otherwise a permit with the
    /// requirements of both. The target stays.
    public func narrowed(to other: Ruling) -> Ruling {
        switch (self, other) {
        case (.denial, _): self
        case (.permit(let own), .denial(let denial)):
            .denial(Denial(target: own.target, loader: denial.loader, basis: denial.basis))
        case (.permit(let own), .permit(let second)): .permit(own.narrowed(to: second))
        }
    }
}

extension ConnectPermit {
    fileprivate func narrowed(to other: ConnectPermit) -> ConnectPermit {
        let both = other.demands.map { demands?.narrowed(to: $0) ?? $0 } ?? demands
        return ConnectPermit(
            target: target, loader: loader, basis: both == demands ? basis : other.basis, demands: both,
            offer: other.offer.map { offer?.narrowed(to: $0) ?? $0 } ?? offer,
            overriddenDenial: overriddenDenial ?? other.overriddenDenial)
    }
}

extension TLSDemands {
    /// Returns the demands that satisfy both. Pins are those of the first that has some.
    func narrowed(to other: TLSDemands) -> TLSDemands {
        var both = self
        both.minimumTLS = max(minimumTLS, other.minimumTLS)
        let effective = max(overruledMinimum ?? minimumTLS, other.overruledMinimum ?? other.minimumTLS)
        both.overruledMinimum = effective < both.minimumTLS ? effective : nil
        both.forwardSecrecy = forwardSecrecy || other.forwardSecrecy
        both.strictTrust = strictTrust || other.strictTrust
        both.certificateFloor = certificateFloor || other.certificateFloor
        let common = suites.filter { other.suites.contains($0) }
        both.suites = !common.isEmpty ? common : other.suites.isEmpty ? suites : other.suites
        both.pins = pins ?? other.pins
        both.niap = niap ?? other.niap
        both.requiresCertificateTransparency =
            requiresCertificateTransparency || other.requiresCertificateTransparency
        both.waivesKeySize = waivesKeySize && other.waivesKeySize
        both.checksLeafOnly = checksLeafOnly && other.checksLeafOnly
        both.acceptsAnyCertificate = acceptsAnyCertificate && other.acceptsAnyCertificate
        return both
    }
}
