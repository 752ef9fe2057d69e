/// The loads that are not handed out yet, in the order of their first lines, and what finds them again.
struct LoadList {
    /// Most loads that wait at a time: a log's tasks come to an end within seconds.
    static let waitingLimit = 4096
    /// A load that is over is handed out when so many lines said nothing more of it.
    static let quietLines = 20_000
    /// One that is not over is, too, when so many did: a log may be followed for days.
    static let endlessLines = 200_000
    /// Names of tasks that are remembered after they were handed out.
    private static let pastLimit = 65_536

    private var loads: [LoggedLoad] = []
    private var start = 0
    private var tasks: [TaskID: LoggedLoad] = [:]
    private var past: Set<TaskID> = []
    private var pastOrder: [TaskID] = []
    /// The last loads of all processes, newest last.
    private(set) var recent: [LoggedLoad] = []
    /// Loads that had to be handed out before their end.
    private(set) var early = 0
    /// Lines about tasks that had been handed out.
    private(set) var late = 0

    private static let recentLimit = 64

    func load(of task: TaskID) -> LoggedLoad? { tasks[task] }

    /// Counts the task where it was handed out before.
    ///
    /// - Returns: whether it was.
    mutating func noteLate(_ task: TaskID) -> Bool {
        guard past.contains(task) else { return false }
        late += 1
        return true
    }

    mutating func add(_ load: LoggedLoad) {
        loads.append(load)
        if let task = load.task { tasks[task] = load }
        use(load)
    }

    /// Makes it the newest of ``recent``.
    mutating func use(_ load: LoggedLoad) {
        if recent.last === load { return }
        recent.removeAll { $0 === load || $0.isMerged }
        recent.append(load)
        if recent.count > Self.recentLimit { recent.removeFirst() }
    }

    /// More loads wait than may: one line of a log may have thousands.
    var isCrowded: Bool { loads.count - start > Self.waitingLimit }

    /// The loads that may be handed out now.
    mutating func ready(at line: Int, all: Bool = false) -> [LoggedLoad] {
        var ready: [LoggedLoad] = []
        while start < loads.count {
            // Where a part of it came first, there is its place.
            let load = loads[start].standing
            if !load.isMerged, !load.isHandedOut {
                let quiet = line - load.lastLine
                let isQuiet = load.isOver ? quiet > Self.quietLines : quiet > Self.endlessLines
                guard all || isQuiet || isCrowded else { break }
                if !all, !load.isOver { early += 1 }
                leave(load)
                ready.append(load)
            }
            start += 1
        }
        if start > Self.waitingLimit {
            loads.removeFirst(start)
            start = 0
        }
        return ready
    }

    private mutating func leave(_ load: LoggedLoad) {
        load.isHandedOut = true
        recent.removeAll { $0 === load }
        if load.connection?.orphan === load { load.connection?.orphan = nil }
        guard let task = load.task, tasks[task] === load else { return }
        tasks[task] = nil
        guard past.insert(task).inserted else { return }
        pastOrder.append(task)
        if pastOrder.count > Self.pastLimit {
            for old in pastOrder.prefix(Self.pastLimit / 2) { past.remove(old) }
            pastOrder.removeFirst(Self.pastLimit / 2)
        }
    }

    /// Forgets what the lines before an output of nscurl's told without a prefix: the end of an error, or all of one that
    /// stands behind a result of a test. Both are nscurl's own.
    mutating func dropFragments(before line: Int, behindResult result: Int?) {
        let first = line - Self.fragmentLines
        for load in loads[start...] where load.firstLine >= first && load.app == nil {
            if load.isFragment || load.firstLine > result ?? .max { load.isMerged = true }
        }
    }

    /// Most lines of an error of nscurl's.
    private static let fragmentLines = 256
}
