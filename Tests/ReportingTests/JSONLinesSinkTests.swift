import Foundation
import Records
import Reporting
import Samples
import TestSupport
import Testing

@Suite("JSON lines")
struct JSONLinesSinkTests {
    @Test("batches are appended line by line, also to an existing file")
    func appended() throws {
        try withFolder { folder in
            let path = folder + "/loads.jsonl"
            let filed = (0..<3).map { SampleLoads.filed(SampleLoads.plain($0), id: "\($0)") }
            for batch in [filed[..<2], filed[2...]] {
                let sink = try JSONLinesSink(path: path)
                try sink.write(Array(batch))
                try sink.close()
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text == filed.map { RecordJSON.text($0) + "\n" }.joined())
        }
    }

    @Test("each batch is in the file before the next one, without a close")
    func flushed() throws {
        try withFolder { folder in
            let path = folder + "/loads.jsonl"
            let sink = try JSONLinesSink(path: path)
            try sink.write([SampleLoads.filed(SampleLoads.plain())])
            #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("}\n"))
            try sink.close()
        }
    }

    @Test("a new file is private to its owner, and an existing one keeps its mode")
    func ownerOnly() throws {
        try withFolder { folder in
            let path = folder + "/loads.jsonl"
            try JSONLinesSink(path: path).close()
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            try JSONLinesSink(path: path).close()
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        }
    }

    @Test("a missing folder is a separate error, and is not created")
    func missingFolder() throws {
        try withFolder { folder in
            let path = folder + "/none/loads.jsonl"
            let error = #expect(throws: JSONLinesSink.CannotOpen.self) { try JSONLinesSink(path: path) }
            #expect(error?.lacksFolder == true)
            #expect(error?.description == "cannot write \(path): No such file or directory")
        }
    }

    @Test("a path that cannot be opened is named")
    func unusable() throws {
        try withFolder { folder in
            let error = #expect(throws: JSONLinesSink.CannotOpen.self) { try JSONLinesSink(path: folder) }
            #expect(error?.description == "cannot write \(folder): Is a directory")
        }
    }

    @Test(
        "a full disk is reported in the system's words",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
    )
    func fullDisk() throws {
        let sink = try JSONLinesSink(path: "/dev/full")
        let error = #expect(throws: PartialWrite.self) { try sink.write([SampleLoads.filed(SampleLoads.plain())]) }
        #expect(error?.recorded == 0)
        #expect(error?.cause == "No space left on device")
        try sink.close()
    }
}
