import Bytes
import HTTPWire
import Records
import TLSEngine

/// A tunnel to the gate itself, by its reserved name, for its own pages. With TLS it uses a leaf of the gate's CA, so
/// that only clients that trust the CA can read them.
final class OwnTunnel: SessionMachine {
    private enum State {
        case sorting, shaking, asking
    }

    let context: SessionContext
    private var state = State.sorting

    init(_ context: SessionContext) {
        self.context = context
    }

    /// It carries no loads.
    var tunnel: Tunnel? { nil }
    private var client: ClientStream { context.client }

    func begin() -> Transition {
        // The reader saw a CONNECT head; the bytes that follow are not an HTTP body.
        client.reader = MessageReader.requests(limits: WireLimits())
        context.place.entrance.confirm(to: client)
        context.arm(.head)
        return sort()
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        switch state {
        case .sorting: return sort()
        case .shaking: return runHandshake()
        case .asking: return answer()
        }
    }

    private func sort() -> Transition {
        switch FirstBytes(client.inbox.bytes) {
        case .undecided: return .stay
        case .http:
            state = .asking
            return answer()
        case .tls:
            do throws(TLSSetupError) {
                let tls = try TLSMachine.client(context.loop.clientContext, outbox: client.outbox)
                let hello = client.takeInbox()
                client.tls = tls
                hello.withUnsafeBytes { client.receive($0) }
            } catch {
                return .close(.gate(.fault(.tls(error))))
            }
            state = .shaking
            context.arm(.handshake)
            return runHandshake()
        case .http2, .other: return .close(.settled)
        }
    }

    private func runHandshake() -> Transition {
        guard let tls = client.tls else { return .close(.settled) }
        if tls.state == .helloHeld {
            do throws(CertificateError) {
                let leaf = try context.loop.mint.leaf(for: OwnSite.name, now: context.now.unixSeconds)
                tls.finish(leaf: leaf, alpn: ClientStream.http1)
            } catch {
                return .close(.gate(.fault(.leaf(host: OwnSite.name, error))))
            }
        }
        switch tls.state {
        case .handshaking, .helloHeld: return .stay
        case .established:
            state = .asking
            return answer()
        // The client does not trust the CA yet, which the page that started this load shows to the user.
        case .closed, .failed: return .close(.client(.left))
        }
    }

    private func answer() -> Transition {
        do throws(WireError) {
            while client.outbox.count <= context.highWaterBytes {
                let step = try client.reader.next(in: client.inbox.bytes)
                client.inbox.consume(step.consumed)
                guard case .requestHead(let head)? = step.event else {
                    if step.event != nil { continue }
                    context.arm(.idle)
                    return client.tls?.state == .closed ? .close(.settled) : .stay
                }
                let answer = context.ownAnswer(to: head) ?? .nothing
                guard client.give(answer, to: head, isLast: context.isDraining) else { return .linger }
            }
        } catch {
            client.write(GatePage(malformed: error, wantsJSON: false), answering: nil, ends: true)
        }
        return .linger
    }

    var onlyWaits: Bool { true }

    func drain() -> Transition { .close(.settled) }
    func end(_ reason: EndReason) {}
}
