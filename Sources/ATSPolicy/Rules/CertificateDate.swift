/// The dates on which Apple's certificate rules begin: midnight UTC, in seconds since 1970. Source: Apple support
/// 103769; docs/law/trust.md#server-authentication.
enum CertificateDate {
    /// 2018-03-01.
    static let march2018: Int64 = 1_519_862_400
    /// 2018-10-16.
    static let october2018: Int64 = 1_539_648_000
    /// 2019-07-01.
    static let july2019: Int64 = 1_561_939_200
    /// 2020-09-01.
    static let september2020: Int64 = 1_598_918_400
    /// 2021-04-21.
    static let april2021: Int64 = 1_618_963_200
}
