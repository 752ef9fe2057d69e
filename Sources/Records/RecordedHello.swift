public import ATSPolicy

/// The client's hello in a record: its fingerprint, its meaning, and the comparison with the rules for the load.
public struct RecordedHello: Sendable, Hashable {
    /// The JA4 fingerprint; nil if the hello has more values than are kept.
    public var ja4: String?
    public var reads: HelloReading.Kind
    /// The lowest TLS version offered; nil if the hello does not show it.
    public var minimum: TLSVersion?
    public var certainty: Confidence
    /// The client that sends this list, for example `Go`; nil if it is not known.
    public var matches: String?
    /// The hello that the rules predict for the load; nil if the two cannot be compared.
    public var law: HelloReading.Kind?
    /// The lowest TLS version of that prediction.
    public var lawMinimum: TLSVersion?
    /// The result of the comparison; nil if it is not known.
    public var answer: HelloAnswer?

    public init(_ reading: HelloReading, ja4: String?) {
        self.ja4 = ja4
        reads = reading.kind
        minimum = reading.minimum
        certainty = reading.certainty
        matches = reading.matches
    }

    /// Returns the hello with its comparison with the rules.
    ///
    /// - Parameter forecast: nil for a load that the rules do not govern.
    public func compared(_ reading: HelloReading, with forecast: HelloForecast?) -> RecordedHello {
        guard let forecast, reading.showsATS else { return self }
        var hello = self
        hello.law = forecast.kind
        hello.lawMinimum = forecast.minimum
        hello.answer = HelloAnswer(reading, forecast)
        return hello
    }

    private init() {
        reads = .other
        certainty = .inferred
    }

    static let blank = RecordedHello()
}

extension RecordedClient {
    /// The program by which ATS does not govern the client: by its User-Agent, otherwise by its hello.
    public var outsideProgram: String? {
        let byHello = members.hello.flatMap { $0.reads == .other ? $0.matches : nil }
        return switch members.assumed {
        case .unknown?, .unnamed?, nil: byHello ?? members.assumed?.rawValue
        case let program?: program.rawValue
        }
    }
}

/// The client's hello, and the comparison with the rules.
package enum HelloFields: FieldList {
    package static let fields: [RecordField<RecordedHello>] = [
        RecordField("ja4", \.ja4, .shared), RecordField("reads", \.reads, .shared),
        // The lowest TLS version offered.
        RecordField("minimum", \.minimum, .shared),
        // The confidence of the reading.
        RecordField("certainty", \.certainty, .shared),
        // The client that sends this list.
        RecordField("matches", \.matches, .shared),
        // The prediction of the rules, and the result of the comparison.
        RecordField("law", \.law, .shared), RecordField("lawMinimum", \.lawMinimum, .shared),
        RecordField("answer", \.answer, .shared),
    ]
}

extension HelloReading.Kind: StoredWord {}
extension HelloAnswer: StoredWord {}
