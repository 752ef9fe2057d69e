import Files
import Foundation
import TestSupport
import Testing

@Suite("output files")
struct OutputFileTests {
    @Test(
        "the exposure of a file shows whether other accounts can read or write it",
        arguments: [
            (0o600, FileExposure.none), (0o400, .none), (0o640, .shared(mode: 0o640)), (0o644, .shared(mode: 0o644)),
            (0o664, .shared(mode: 0o664)), (0o666, .writable(mode: 0o666)), (0o602, .writable(mode: 0o602)),
        ] as [(mode_t, FileExposure)])
    func modes(mode: mode_t, exposure: FileExposure) throws {
        try withFolder { folder in
            let path = folder + "/file"
            try Data().write(to: URL(fileURLWithPath: path))
            try #require(chmod(path, mode) == 0)
            #expect(FileExposure(at: path) == exposure)
            #expect((exposure.words(for: path) == nil) == (exposure == .none))
        }
    }

    /// Only the superuser can give a file away.
    @Test("a file of another account is exposed, but the superuser may write to it", .enabled(if: geteuid() == 0))
    func foreignFile() throws {
        try withFolder { folder in
            let path = folder + "/file"
            try Data().write(to: URL(fileURLWithPath: path))
            try #require(chmod(path, 0o600) == 0 && chown(path, 65_534, 65_534) == 0)
            let exposure = FileExposure(at: path)
            #expect(exposure == .foreign(owner: 65_534))
            #expect(exposure.words(for: path)?.contains("another account (65534)") == true)
            #expect(!exposure.isRefused)
            try #require(chmod(path, 0o666) == 0)
            #expect(FileExposure(at: path).isRefused)
        }
    }

    @Test("a device keeps no data, so it is not exposed")
    func devices() {
        #expect(FileExposure(at: "/dev/null") == .none)
    }

    /// Only the superuser can create a link that belongs to another account.
    @Test("a link of another account is rejected; the user's own is followed", .enabled(if: geteuid() == 0))
    func link() throws {
        try withFolder { folder in
            let (link, target) = (folder + "/link", folder + "/target")
            try Data("kept".utf8).write(to: URL(fileURLWithPath: target))
            try #require(symlink(target, link) == 0)
            let descriptor = try OutputFile.open(link, O_WRONLY, mode: 0o600)
            close(descriptor)
            try #require(lchown(link, 65_534, 65_534) == 0)
            #expect(throws: FileFault.foreignLink(owner: 65_534)) {
                try OutputFile.open(link, O_WRONLY | O_TRUNC, mode: 0o600)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("kept".utf8))
        }
    }
}
