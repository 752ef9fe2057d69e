import CPoll
import Foundation
import NetLoop
import TestSupport
import Testing

@Suite struct WatcherTests {
    private func newFile() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("netloop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("policy.plist")
        try Data("one".utf8).write(to: file)
        return file
    }

    /// Returns stamps of the files after they are old enough for every change to show.
    private func stamps(_ files: URL...) async throws -> [FileStamp] {
        let deadline = ContinuousClock.now + .seconds(10)
        for file in files {
            var stamp = cpoll_stamp()
            while cpoll_stamp_of(file.path, &stamp) == 0, stamp.is_young != 0 {
                try #require(ContinuousClock.now < deadline)
                await Task.yield()
            }
        }
        return files.map { FileStamp($0.path) }
    }

    @Test func writtenFileIsReported() async throws {
        let (file, untouched) = (try newFile(), try newFile())
        let news = Fact<[String]>()
        let watcher = FileWatcher(try await stamps(untouched, file), every: .milliseconds(20)) { news.set($0) }
        try Data("longer".utf8).write(to: file)
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    /// Same length, renamed into place: as careful editors and deployments do.
    @Test func atomicallyReplacedFileIsReported() async throws {
        let file = try newFile()
        let news = Fact<[String]>()
        let watcher = FileWatcher(try await stamps(file), every: .milliseconds(20)) { news.set($0) }
        try Data("two".utf8).write(to: file, options: .atomic)
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    @Test func everyReplacementIsReported() async throws {
        let file = try newFile()
        let (first, second) = (Fact<Bool>(), Fact<Bool>())
        let watcher = FileWatcher(try await stamps(file), every: .milliseconds(20)) { _ in
            if first.current == nil { first.set() } else { second.set() }
        }
        try Data("two".utf8).write(to: file, options: .atomic)
        _ = try await first.value()
        try Data("three".utf8).write(to: file, options: .atomic)
        #expect(try await second.value())
        watcher.stop()
    }

    @Test func changesBeforeTheWatchAreReported() async throws {
        let file = try newFile()
        let before = try await stamps(file)
        try Data("two".utf8).write(to: file)
        let news = Fact<[String]>()
        let watcher = FileWatcher(before, every: .milliseconds(20)) { news.set($0) }
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    /// A second change in the same tick of the file system's clock may leave the same stamp.
    @Test func changeOfAFileThatWasYoungIsReported() async throws {
        let file = try newFile()
        try Data("two".utf8).write(to: file)
        let young = FileStamp(file.path)
        // In place, so that only the time changes.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("TWO".utf8))
        try handle.close()
        let news = Fact<[String]>()
        let watcher = FileWatcher([young], every: .milliseconds(20)) { news.set($0) }
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    @Test func fileThatWasYoungAndStaysIsNotReported() async throws {
        let (file, late) = (try newFile(), try newFile())
        let stamps = try await stamps(late)
        try Data("two".utf8).write(to: file)
        let young = FileStamp(file.path)
        let news = Tally<String>(wanted: 1)
        let watcher = FileWatcher([young] + stamps, every: .milliseconds(20)) { $0.forEach(news.add) }
        // Waits until the file is old enough to be compared and was checked: then the first report must be of another
        // change.
        _ = try await self.stamps(file)
        try Data("later".utf8).write(to: late)
        #expect(try await news.complete.value() == [late.path])
        watcher.stop()
    }

    /// Attributes that were preserved from the old file do not hide the replacement.
    @Test func changedLinkAndPreservedTimeAreReported() async throws {
        let (first, second) = (try newFile(), try newFile())
        let link = first.deletingLastPathComponent().appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: first)
        let old = try FileManager.default.attributesOfItem(atPath: second.path)
        let news = Tally<String>(wanted: 2)
        let watcher = FileWatcher(try await stamps(link, second), every: .milliseconds(20)) { $0.forEach(news.add) }
        try FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: second)
        try Data("two".utf8).write(to: second)
        try FileManager.default.setAttributes(
            [.modificationDate: old[.modificationDate] as Any], ofItemAtPath: second.path)
        #expect(Set(try await news.complete.value()) == [link.path, second.path])
        watcher.stop()
    }

    @Test func fileThatAppearsLaterIsReported() async throws {
        let file = try newFile()
        try FileManager.default.removeItem(at: file)
        let news = Fact<[String]>()
        let watcher = FileWatcher(try await stamps(file), every: .milliseconds(20)) { news.set($0) }
        try Data("here".utf8).write(to: file)
        #expect(try await news.value() == [file.path])
        watcher.stop()
    }

    /// In a separate process: with a broken watcher the signal would end it.
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
