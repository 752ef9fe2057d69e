import ATSPolicy
import Bytes
import HTTPWire
import Records
import Text

extension LoadRecorder {
    /// Files an incomplete head as a failed load if its lines already name the target.
    func fileBegunHead(status: Int, _ finding: Finding) {
        guard let head = context.client.begunHead, case .target(let target) = RequestedTarget(head, in: tunnel) else {
            return
        }
        context.recognize(head)
        let (load, _) = context.admit(head, to: target, in: tunnel)
        load.beginAnswer(status: status)
        file(load, .failed, diagnosis: RecordedDiagnosis(finding))
    }

    /// Files a malformed head as a load if its first line or its tunnel names the target. The load failed, unless it is
    /// denied: then the denial counts.
    func fileMalformedHead(_ error: WireError) {
        guard tunnel?.denial == nil, let (head, target) = context.client.malformedHead(in: tunnel) else { return }
        context.recognize(head)
        let (load, admission) = context.admit(head, to: target, in: tunnel)
        load.beginAnswer(status: error.status)
        let finding = RecordedDiagnosis(.malformedRequest(error))
        if case .refuse(let denial) = admission {
            file(load, .blocked, by: .page, diagnosis: denial.adding(finding))
        } else if let denial = load.diagnosis {
            file(load, .wouldBlock, diagnosis: denial.adding(finding))
        } else {
            file(load, .failed, by: .page, diagnosis: finding)
        }
    }

    /// Files a request that was malformed after its head.
    func fileMalformed(_ error: WireError, _ load: Load, on link: OriginLink?) {
        if load.status == nil {
            let page = GatePage(malformed: error, wantsJSON: load.head.wantsJSON)
            context.client.write(page, answering: load.head, ends: true)
            load.beginAnswer(status: error.status)
        }
        file(load, .failed, diagnosis: RecordedDiagnosis(.malformedRequest(error)), on: link)
    }
}

extension ClientStream {
    /// The head made of the complete lines; nil if they make none.
    fileprivate var begunHead: RequestHead? {
        guard let end = inbox.bytes.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        return Self.head(of: Array(ByteView(inbox.bytes).slice(0..<end + 1)) + Array("\r\n".utf8))
    }

    /// The readable parts of a malformed head: the words of its first line, its first Host and User-Agent fields, if
    /// valid. Outside a tunnel, the second word must name the target.
    fileprivate func malformedHead(in tunnel: Tunnel?) -> (RequestHead, LoadTarget)? {
        let lines = inbox.bytes.prefix(WireLimits().headBytes).split { $0 == 0x0A || $0 == 0x0D }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let words = (lines.first ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        let fields = ["host:", "user-agent:"].compactMap { name in
            lines.first { $0.prefix(name.count).lowercased() == name }
        }
        let asked = words.dropFirst().first.map { [$0, String($0.prefix { $0.isASCII && $0 > " " && $0 < "\u{7F}" })] }
        for target in (asked ?? []) + (tunnel == nil ? [] : ["/"]) {
            for method in words.prefix(1) + [Method.get.name] {
                for others in [fields, ["Host: \(Authority(host: tunnel?.target.host ?? "", port: nil))"]] {
                    let lines = ["\(method) \(target) HTTP/1.1"] + others + ["\r\n"]
                    guard let head = Self.head(of: Array(lines.joined(separator: "\r\n").utf8)) else { continue }
                    if tunnel == nil, case .authority(let host, let port) = head.target {
                        return (head, LoadTarget(scheme: .https, host: host, port: port))
                    }
                    if case .target(let target) = RequestedTarget(head, in: tunnel) { return (head, target) }
                }
            }
        }
        return nil
    }

    private static func head(of lines: [UInt8]) -> RequestHead? {
        var reader = MessageReader.requests(limits: WireLimits())
        let step = lines.withUnsafeBytes { try? reader.next(in: $0) }
        if case .requestHead(let head)? = step?.event { return head }
        return nil
    }
}
