import Files
import Foundation
import TestSupport
import Testing

@Suite("input files")
struct InputFileTests {
    @Test("a named pipe is rejected immediately, without waiting for a writer", .timeLimit(.minutes(1)))
    func pipe() throws {
        try withFolder { folder in
            let path = folder + "/Info.plist"
            try #require(mkfifo(path, 0o600) == 0)
            #expect(throws: FileFault.notAFile) { try InputFile.bytes(of: path, upTo: 10) }
        }
    }

    @Test("a pipe passed as /dev/fd/N is read to its end, even while it is still being written")
    func descriptor() throws {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let text = Data(String(repeating: "one line\n", count: 20_000).utf8)
        let writer = Thread {
            try? writing.write(contentsOf: text)
            try? writing.close()
        }
        writer.start()
        #expect(try InputFile.bytes(of: path, upTo: 1 << 20) == Array(text))
    }

    @Test("a file or device is read up to the limit; a folder or a missing file is an error")
    func others() throws {
        try withFolder { folder in
            try Data("0123456789".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
            #expect(try InputFile.bytes(of: folder + "/file", upTo: 4) == Array("0123".utf8))
            #expect(try InputFile.bytes(of: folder + "/file", upTo: 400) == Array("0123456789".utf8))
            #expect(try InputFile.bytes(of: "/dev/zero", upTo: 5) == [0, 0, 0, 0, 0])
            #expect(try InputFile.bytes(of: "/dev/null", upTo: 5) == [])
            #expect(throws: FileFault.directory) { try InputFile.bytes(of: folder, upTo: 5) }
            #expect(throws: FileFault.system(errno: ENOENT)) { try InputFile.bytes(of: folder + "/none", upTo: 5) }
        }
    }
}
