import CPoll
import Foundation
import NetLoop
import Testing

@Suite struct WatcherTests {
    private func newFile() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("netloop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("policy.plist")
        try Data("one".utf8).write(to: file)
        return file
    }

    @Test func writtenFileIsReported() async throws {
        let (file, untouched) = (try newFile(), try newFile())
        let news = Fact<[String]>()
        let watcher = FileWatcher([untouched.path, file.path], every: .milliseconds(20)) { news.set($0) }
        try Data("longer".utf8).write(to: file)
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    /// Same length, renamed into place: what careful editors and deployments do.
    @Test func atomicallyReplacedFileIsReported() async throws {
        let file = try newFile()
        let news = Fact<[String]>()
        let watcher = FileWatcher([file.path], every: .milliseconds(20)) { news.set($0) }
        try Data("two".utf8).write(to: file, options: .atomic)
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    @Test func everyReplacementIsReported() async throws {
        let file = try newFile()
        let (first, second) = (Fact<Bool>(), Fact<Bool>())
        let watcher = FileWatcher([file.path], every: .milliseconds(20)) { _ in
            if first.current == nil { first.set() } else { second.set() }
        }
        try Data("two".utf8).write(to: file, options: .atomic)
        _ = try await first.value()
        try Data("three".utf8).write(to: file, options: .atomic)
        #expect(try await second.value())
        watcher.stop()
    }

    @Test func fileThatAppearsLaterIsReported() async throws {
        let file = try newFile()
        try FileManager.default.removeItem(at: file)
        let news = Fact<[String]>()
        let watcher = FileWatcher([file.path], every: .milliseconds(20)) { news.set($0) }
        try Data("here".utf8).write(to: file)
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    /// In a process of its own: were the watcher broken, the signal would end it.
    @Test func signalsReachTheClosure() async {
        await #expect(processExitsWith: .success) {
            let seen = Tally<Int32>(wanted: 3)
            let watcher = SignalWatcher([SIGHUP, SIGTERM, SIGINT]) { number in
                seen.add(number)
                let next: [Int32: Int32] = [SIGHUP: SIGTERM, SIGTERM: SIGINT]
                if let following = next[number] { kill(getpid(), following) }
            }
            kill(getpid(), SIGHUP)
            let isRight = try await seen.complete.value() == [SIGHUP, SIGTERM, SIGINT]
            watcher.stop()
            exit(isRight ? 0 : 1)
        }
    }
}
