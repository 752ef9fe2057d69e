import FlyingFox
import FlyingSocks
import Foundation

/// One client: its requests, one after the other, and their answers.
struct WebConnection: Sendable {
    let socket: AsyncSocket
    let limits: WebLimits
    /// How long its first request may take.
    let patience: Duration

    /// Serves it until it leaves, breaks a rule or takes too long, or the task is cancelled.
    func serve(_ site: any WebSite) async {
        let deadline = MovingDeadline(patience)
        await withTaskGroup { group in
            group.addTask { try? await exchange(with: site, within: deadline) }
            group.addTask { await deadline.pass() }
            await group.next()
            group.cancelAll()
        }
        try? socket.close()
    }

    private func exchange(with site: any WebSite, within deadline: MovingDeadline) async throws {
        var inlet = RequestInlet(socket: socket, limits: limits)
        while !Task.isCancelled {
            let answer: HTTPResponse
            var isLast = false
            let head: RequestInlet.Head
            switch try await inlet.head() {
            case .none: return
            case .malformed(let status):
                try await write(.plain("The request can not be read.\n", status: status), isLast: true, deadline)
                return
            case .head(let read): head = read
            }
            deadline.move(to: limits.idle)
            if let refusal = site.refusal(of: head.request) {
                answer = refusal
                // What it has sent beside the head is not looked at.
                isLast = head.hasBody
            } else {
                switch try await inlet.body(of: head) {
                case .malformed(let status):
                    try await write(.plain("The body can not be taken.\n", status: status), isLast: true, deadline)
                    return
                case .body(let body):
                    deadline.move(to: limits.answer)
                    answer = await site.answer(head.request, body: body)
                }
            }
            isLast = isLast || !head.isPersistent
            try await write(answer, to: head, isLast: isLast, deadline)
            if isLast { return }
            deadline.move(to: limits.idle)
        }
    }

    /// - Parameter head: what is answered; nil where it could not be read.
    private func write(
        _ answer: HTTPResponse, to head: RequestInlet.Head? = nil, isLast: Bool, _ deadline: MovingDeadline
    ) async throws {
        deadline.move(to: limits.stall)
        let hasChunks = head?.readsChunks ?? true
        try await socket.write(answer.encodedHead(isLast: isLast, hasChunks: hasChunks))
        guard head?.request.method != .HEAD, case .httpBody(let body) = answer.payload else { return }
        for try await piece in body {
            deadline.move(to: limits.stall)
            try await socket.write(hasChunks || body.count != nil ? piece : piece.chunkContent)
            // What comes next may be long in coming: a stream of events is quiet where nothing happens.
            deadline.move(to: limits.answer)
        }
    }
}

extension Data {
    /// Of one chunk, what stands between its size and its end: FlyingFox hands bodies over in no other form.
    fileprivate var chunkContent: Data {
        firstRange(of: Data("\r\n".utf8)).map { self[$0.upperBound...].dropLast(2) } ?? self
    }
}
