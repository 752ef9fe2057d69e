import ATSPolicy
import Foundation
public import Records

/// A record decoded from its JSON line, with every field of ``RecordFields`` as a member, for reports and replays.
public typealias DecodedRecord = DecodedObject<RecordFields>

extension DecodedObject where List == RecordFields {
    /// Decodes one JSON line.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public init(_ stored: StoredRecord) throws(StoreError) {
        try self.init(json: stored.json.utf8, id: stored.id)
    }

    /// Decodes one JSON line.
    ///
    /// - Parameter id: the record's id, for the error.
    init(json: some Sequence<UInt8>, id: String) throws(StoreError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json))
        } catch {
            throw .unreadableRecord(id: id, cause: Self.words(error))
        }
    }
}

extension DecodedObject where List == RecordFields {
    /// The part of the JSON that does not fit, without the decoder's own syntax.
    private static func words(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): "\(path(context)) lacks \(key.stringValue)"
        case DecodingError.valueNotFound(_, let context): "\(path(context)) is null"
        case DecodingError.typeMismatch(_, let context): "\(path(context)) is of another type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty: "\(path(context)) is damaged"
        default: "it is not JSON"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? "it" : path
    }
}

extension DecodedObject where List == RecordFields {
    /// The client as the rules see it, and the reason: `app, assumed from curl`. For a client that ATS does not govern,
    /// `Safari, which ATS does not govern`.
    var clientDescription: String {
        let loader = self.client.loader
        guard let program = self.client.assumed else { return loader == "outside" ? "app" : loader }
        let isOutside = self.findings.contains { $0.rule == RuleID.clientOutside.rawValue }
        return isOutside ? "\(program), which ATS does not govern" : "\(loader), assumed from \(program)"
    }
}

extension LoadView {
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public init(_ stored: StoredRecord) throws(StoreError) {
        self.init(try DecodedRecord(stored), time: stored.time, verdict: stored.verdict)
    }
}
