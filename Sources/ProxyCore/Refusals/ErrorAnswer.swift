import ATSPolicy
import HTTPWire
import Records

/// The response to a load that cannot be completed, for every HTTP version.
struct ErrorAnswer {
    let status: Int
    let title: String
    let diagnosis: RecordedDiagnosis

    init(_ status: Int, _ title: String, _ diagnosis: RecordedDiagnosis) {
        self.status = status
        self.title = title
        self.diagnosis = diagnosis
    }

    init(_ status: Int, _ title: String, _ finding: Finding) {
        self.init(status, title, RecordedDiagnosis(finding))
    }

    func page(for head: RequestHead) -> GatePage {
        GatePage(
            status: status, title: title, sentences: diagnosis.findings.map(\.observed), wantsJSON: head.wantsJSON)
    }

    static func clientStalled(_ limit: Duration) -> ErrorAnswer {
        ErrorAnswer(408, "The request did not arrive in time", .clientStalled(limit))
    }

    static func brokenHandshake(_ failure: LoadFailure, _ diagnosis: RecordedDiagnosis) -> ErrorAnswer {
        ErrorAnswer(failure.gatewayStatus, "The server's TLS handshake failed", diagnosis)
    }

    static func loop(to target: LoadTarget) -> ErrorAnswer {
        ErrorAnswer(508, "This is the gate itself", .loop(target))
    }

    static func fault(_ fault: GateFault) -> ErrorAnswer {
        ErrorAnswer(500, "The gate failed", .gateFault(fault))
    }
}

extension SessionContext {
    func unreachable(_ failure: NetworkFailure, for load: Load) -> ErrorAnswer {
        ErrorAnswer(
            failure.gatewayStatus, failure.title,
            diagnosis(failure, of: load.ruled, path: load.pathText))
    }

    func unanswered(_ load: Load) -> ErrorAnswer {
        ErrorAnswer(
            504, "The server did not answer in time", diagnosis(.timeout, of: load.ruled, path: load.pathText))
    }

    /// The page for a blocked load.
    func page(refusing load: Load, for diagnosis: RecordedDiagnosis) -> GatePage {
        GatePage(
            url: load.target.origin + load.pathText, client: load.client, diagnosis: diagnosis,
            deciding: load.ruled.policy.basis?.keyPath, wantsJSON: load.head.wantsJSON)
    }
}
