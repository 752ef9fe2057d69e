import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import ProxyCore
import Records
import Seeded
import TLSEngine
import Testing

/// One random sequence: clients come and go, send requests, rules change, links wait in a pool.
final class PolicyRun {
    private(set) var story: [String] = []
    private(set) var complaint: String?
    private(set) var tally: [Verdict: Int] = [:]

    private var dice: SeededGenerator
    private var isAudited: Bool
    /// True if a reload may turn audit mode on or off.
    private let changesMode: Bool
    private let isPassedThrough: Bool
    private let speaksHTTP2: Bool
    private let loop: LoopContext
    private var law: ModelRules
    private var clients: [LawClient] = []
    private var origins: [ObjectIdentifier: LawOrigin] = [:]
    private var pool: [OriginLink] = []
    /// The rules when a load reached its origin, by the load's number.
    private var usedUnder: [Int: ModelRules] = [:]
    private var loads: [Int: (loader: Loader, host: String)] = [:]

    init(seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        isAudited = seed % 3 == 0
        changesMode = seed % 5 < 2
        isPassedThrough = seed % 4 == 1
        speaksHTTP2 = seed % 4 == 2
        law = ModelRules.allCases.randomElement(using: &dice) ?? .strict
        loop = try World.loop(try Self.policy(law, isAudited, isPassedThrough))
    }

    private static func policy(_ law: ModelRules, _ isAudited: Bool, _ isPassedThrough: Bool) throws -> GatePolicy {
        try World.law(law.declaration) {
            $0.mode = isAudited ? .audit : .enforce
            $0.passthrough = isPassedThrough ? ["*.test"] : []
        }
    }

    func play() throws {
        for _ in 0..<36 where complaint == nil { try step() }
        // Most clients stay until their requests are answered.
        for client in clients where UInt8.random(in: 0..<4, using: &dice) > 0 {
            for _ in 0..<3 where complaint == nil && clients.contains(where: { $0 === client }) { try advance(client) }
            for _ in 0..<10 where !client.book.orders.isEmpty && clients.contains(where: { $0 === client }) {
                try link(client)
            }
            if !client.book.session.isClosed, !client.book.orders.isEmpty {
                complain("still connecting after ten connections")
            }
        }
        for client in clients { leave(client) }
    }

    // MARK: Steps

    private func step() throws {
        let client = clients.randomElement(using: &dice)
        switch UInt8.random(in: 0..<24, using: &dice) {
        case 0..<3: if clients.count < 3 { try connect() }
        case 3..<15: if let client { try advance(client) }
        case 15: for client in clients where !client.book.orders.isEmpty { try link(client) }
        case 16: for client in clients { try serve(client) }
        case 17..<21: if let client { try ask(client) }
        case 21, 22:
            law = ModelRules.allCases.randomElement(using: &dice) ?? .strict
            if changesMode { isAudited = Bool.random(using: &dice) }
            story.append("reload \(law)\(isAudited ? ", audited" : "")")
            loop.policy = try Self.policy(law, isAudited, isPassedThrough)
        default: if let client { leave(client) }
        }
    }

    /// Performs the client's next step: its dial, its hello, its origins' bytes, or another load.
    private func advance(_ client: LawClient) throws {
        if !client.book.orders.isEmpty { return try link(client) }
        if !client.hasBegun { return try startHandshake(client) }
        let isServed = client.book.links.allSatisfy { origins[ObjectIdentifier($0)]?.owesNothing ?? false }
        if isServed { try ask(client) } else { try serve(client) }
    }

    private func connect() throws {
        let host = Bool.random(using: &dice) ? "good.test" : "weak.test"
        let loader = Self.loaders.randomElement(using: &dice) ?? .app
        let client = LawClient(
            try Playbook(loop.policy, loop: loop), to: host, from: loader,
            speaksHTTP2 ? try StreamPeer(.origin) : nil)
        clients.append(client)
        say("connect \(loader) to \(host)", client)
        client.book.client("CONNECT \(host):443 HTTP/1.1\r\nUser-Agent: \(loader.agent)\r\nHost: \(host):443\r\n\r\n")
        try link(client)
    }

    private func startHandshake(_ client: LawClient) throws {
        say("hello", client)
        client.hasBegun = true
        client.book.clientOutbox.removeAll()
        let app = try AppPeer(
            serverName: client.host, alpn: [speaksHTTP2 ? "h2" : "http/1.1"], context: LawPeers.acceptingApp.get())
        client.book.app = app
        app.machine.start()
        try carry(client)
    }

    /// Gives a client the connection that its session waits for, from the pool if the order allows it.
    private func link(_ client: LawClient) throws {
        guard let order = client.book.orders.first else { return }
        let index = pool.lastIndex { $0.key == OriginLink.Key(order.permit) }
        let idle = order.mayReuse ? index.map { pool.remove(at: $0) } : nil
        say(idle == nil ? "dialed" : "from the pool", client)
        let isFirst = client.book.links.isEmpty
        let link = try client.book.connected(idle, isNew: true)
        client.book.peers[ObjectIdentifier(link)] = idle.flatMap { origins[ObjectIdentifier($0)]?.peer }
        // In passthrough, the origin is connected immediately.
        if isPassedThrough, isFirst { try serve(client, link) }
        try carry(client)
    }

    private func serve(_ client: LawClient) throws {
        for link in client.book.links where origins[ObjectIdentifier(link)] == nil { try serve(client, link) }
        for link in client.book.links { if let origin = origins[ObjectIdentifier(link)] { answer(origin) } }
        try carry(client)
    }

    private func serve(_ client: LawClient, _ link: OriginLink) throws {
        let peer = try OriginPeer(context: (client.host == "good.test" ? LawPeers.good : LawPeers.weak).get())
        origins[ObjectIdentifier(link)] = LawOrigin(peer, try StreamPeer(.client))
        client.book.peers[ObjectIdentifier(link)] = peer
    }

    private func ask(_ client: LawClient) throws {
        guard client.admitted != nil, !isPassedThrough, let app = client.book.app else { return }
        let number = loads.count
        let loader = Self.loaders.randomElement(using: &dice) ?? .app
        loads[number] = (loader, client.host)
        say("asks for \(number) as \(loader)", client)
        if let streams = client.streams {
            let request = HTTP2Request.plain(
                "/\(number)", host: client.host, fields: [("User-Agent", loader.agent)])
            _ = streams.machine.open(request, handler: StreamLog(request))
        } else {
            app.send("GET /\(number) HTTP/1.1\r\nHost: \(client.host)\r\nUser-Agent: \(loader.agent)\r\n\r\n")
        }
        try carry(client)
    }

    private func leave(_ client: LawClient) {
        say("leaves", client)
        client.book.end(records: nil)
        take(client)
        clients.removeAll { $0 === client }
    }

    // MARK: Results

    /// Carries bytes until no byte moves, then checks the results.
    private func carry(_ client: LawClient) throws {
        let book = client.book
        var hasMoved = true
        while hasMoved {
            book.carry()
            hasMoved = false
            if let app = book.app, app.machine.state == .established {
                let said = client.streams?.exchange(app.plaintext.drained) ?? []
                app.plaintext.removeAll()
                if !said.isEmpty {
                    said.withUnsafeBytes { app.machine.send($0) }
                    hasMoved = true
                }
            }
            for link in book.links {
                if let origin = origins[ObjectIdentifier(link)], read(origin) { hasMoved = true }
            }
        }
        if client.admitted == nil, book.app?.machine.state == .established { client.admitted = law }
        take(client)
        if book.session.isClosed { leave(client) }
    }

    /// Reads the requests that reached an origin; answers most of them immediately.
    private func read(_ origin: LawOrigin) -> Bool {
        guard origin.peer.machine.state == .established, !isPassedThrough else { return false }
        let isPrompt = UInt8.random(in: 0..<4, using: &dice) > 0
        if origin.peer.machine.negotiatedALPN == "h2", let streams = origin.streams {
            let known = streams.requests.count
            let said = streams.exchange(origin.peer.plaintext.drained)
            if !said.isEmpty { said.withUnsafeBytes { origin.peer.machine.send($0) } }
            for log in streams.requests[known...] { reached(log.request?.head.target) }
            if isPrompt { answer(origin) }
            return !said.isEmpty || streams.requests.count > known
        }
        let text = origin.peer.reads()
        guard !text.isEmpty else { return false }
        reached(.path(String(text.split(separator: " ").dropFirst().first ?? "")))
        origin.hasPendingRequest = true
        if isPrompt { answer(origin) }
        return true
    }

    private func answer(_ origin: LawOrigin) {
        if origin.hasPendingRequest { origin.peer.send(TunnelTests.ok) }
        origin.hasPendingRequest = false
        // A machine's output before its handshake is done would be lost.
        guard let streams = origin.streams, origin.peer.machine.state == .established,
            origin.peer.machine.negotiatedALPN == "h2"
        else { return }
        for log in streams.requests[origin.answered...] { log.stream?.answer(200, "ok") }
        origin.answered = streams.requests.count
        let said = streams.exchange([])
        if !said.isEmpty { said.withUnsafeBytes { origin.peer.machine.send($0) } }
    }

    private func reached(_ target: RequestTarget?) {
        guard case .path(let path)? = target, let number = Int(path.dropFirst()), let load = loads[number] else {
            return complain("an origin was asked for \(String(describing: target))")
        }
        usedUnder[number] = law
        story.append("  \(number) has reached \(load.host)")
        if !isAudited, !law.permits(load.loader, to: load.host) {
            complain("\(load.loader)'s load reached \(load.host) under \(law)")
        }
    }

    /// Returns kept links to the pool, and compares the records with the model.
    private func take(_ client: LawClient) {
        let book = client.book
        for line in book.transcript[client.linesRead...] where line.hasPrefix("  keep #") {
            guard let number = Int(line.dropFirst(8)) else { continue }
            pool.append(book.links[number - 1])
        }
        client.linesRead = book.transcript.count
        for record in book.records[client.recordsRead...] { judge(record, client) }
        client.recordsRead = book.records.count
    }

    private func judge(_ record: LoadRecord, _ client: LawClient) {
        tally[record.verdict, default: 0] += 1
        story.append("  record \(record.words) \(record.client.loader) \(record.load.path)")
        let number = Int(record.load.path.dropFirst())
        let loader = record.client.loader
        let used = number.map { usedUnder[$0] } ?? client.admitted
        switch record.verdict {
        case .allowed, .wouldBlock:
            // A tunnel without loads has no facts to compare.
            guard record.origin?.facts != nil || number != nil else { return }
            guard let used else { return complain("\(record.verdict), but it never reached its origin") }
            if used.permits(loader, to: client.host) != (record.verdict == .allowed) {
                complain("\(record.verdict) for \(loader) to \(client.host) under \(used)")
            }
        case .blocked:
            if law.permits(loader, to: client.host) { complain("blocked \(loader) to \(client.host) under \(law)") }
            if isAudited { complain("blocked in audit mode") }
        case .failed:
            // Clients leave at any moment; no other failure can occur here.
            if record.diagnosis?.findings.first?.rule != .clientGone { complain("failed: \(record.words)") }
        case .outside: complain("outside")
        }
    }

    private func complain(_ words: String) {
        if complaint == nil { complaint = words }
    }

    private func say(_ words: String, _ client: LawClient) {
        let index = clients.firstIndex { $0 === client } ?? -1
        story.append("client \(index): \(words)")
    }

    private static let loaders: [Loader] = [.app, .web, .media]
}
