import Foundation
import Processes
import TestSupport
import Testing

/// The places of the user's files, and the errors if they cannot be used.
@Suite("files of records and the CA", .timeLimit(.minutes(10)))
struct OwnFileTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test(
        "proxy and run report a missing folder, and do not create it",
        arguments: [
            (["--store", "no/such/s.sqlite"], Int32(65)),
            (["--store", "none", "--json", "no/such/r.jsonl"], Int32(64)),
        ])
    func missingFolder(options: [String], code: Int32) throws {
        let proxy = try Binary.run(["proxy", "--listen", "127.0.0.1:0"] + options, in: folder)
        let run = try Binary.run(["run"] + options + ["--", "touch", "ran"], in: folder)
        for outcome in [proxy, run] {
            #expect(outcome.status == code)
            #expect(outcome.prose.contains("no/such"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("no")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
    }

    @Test("a data folder or a store that cannot be created ends with 74, the system's reason and the options that help")
    func unwritable() throws {
        // A file with the folder's name stops every user, also root.
        try folder.write("", to: "data")
        for command in [["proxy", "--listen", "127.0.0.1:0", "--web", "off"], ["run", "--", "touch", "ran"]] {
            let outcome = try Binary.run(command, in: folder)
            #expect(outcome.status == 74, "\(outcome.prose)")
            #expect(outcome.prose.contains("data/atsgate cannot be written: not a directory; use --ca-dir FOLDER"))
        }
        let store = try Binary.run(
            ["run", "--ca-dir", "ca", "--store", "data/s.sqlite", "--", "touch", "ran"], in: folder)
        #expect([65, 74].contains(store.status) && store.prose.contains("data/s.sqlite"), "\(store.prose)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
    }

    #if os(Linux)
    @Test(
        "a read-only and a full disk are reported as such, with 74", .enabled(if: SmallDisk.isPossible, "needs mounts"))
    func disks() throws {
        let script = """
            "$ATSGATE" run -q --allow-no-loads -- true; echo ready $?
            dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null
            "$ATSGATE" run --ca-dir ca --store disk/new.sqlite -- true; echo full $?
            rm disk/fill; mount -o remount,ro disk
            "$ATSGATE" run -- true; echo read-only $?
            XDG_DATA_HOME=$PWD/disk/other "$ATSGATE" run -- true; echo no-folder $?
            "$ATSGATE" run --ca-dir ca --store disk/new.sqlite -- true; echo store $?
            """
        let outcome = try SmallDisk.run(script, in: folder)
        #expect(outcome.output == "ready 0\nfull 74\nread-only 74\nno-folder 74\nstore 74\n", "\(outcome.prose)")
        #expect(outcome.prose.contains("disk/new.sqlite: no space left on device; --store FILE uses another file"))
        #expect(outcome.prose.contains("records.sqlite: read-only file system; --store FILE uses another file"))
        #expect(
            outcome.prose.contains("disk/other/atsgate cannot be written: read-only file system; use --ca-dir FOLDER"))
    }

    @Test("a port that the user may not use ends with 69", .enabled(if: geteuid() == 0, "needs another user"))
    func privilegedPort() throws {
        let script = """
            import os, sys
            open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w").write("1024")
            os.setgid(65534); os.setuid(65534); os.dup2(1, 2)
            os.execve(sys.argv[1], sys.argv[1:], {"XDG_DATA_HOME": sys.argv[-1]})
            """
        let place = try TestSupport.Folder()
        defer { withExtendedLifetime(place) {} }
        let data = folder.path("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: data)
        let program = try Program(
            path: "/usr/bin/env",
            [
                "unshare", "--net", "python3", "-c", script, Binary.path, "proxy", "--listen", "0.0.0.0:80",
                "--allow-lan",
            ]
                + ["--web", "off", "--store", "none", "--ca-dir", data + "/ca"], in: place)
        try #require(program.wait() == 69)
        #expect(program.written.contains("this user may not use the port"))
    }
    #endif

    @Test("a CA locked by another gate is reported after five seconds")
    func lockedAuthority() throws {
        let path = folder.path("ca")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX) == 0)
        let outcome = try Binary.run(["ca", "show", "--ca-dir", "ca"], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("ca is in use by another gate"))
        try #require(flock(descriptor, LOCK_UN) == 0)
        #expect(try Binary.run(["ca", "show", "--ca-dir", "ca"], in: folder).status == 0)
    }

    #if os(Linux)
    @Test("the user's files are in $HOME, unless XDG_DATA_HOME is an absolute path", arguments: ["", "rel"])
    func home(data: String) throws {
        let environment = ["HOME": folder.path("somebody"), "XDG_DATA_HOME": data]
        #expect(try Binary.run(["ca", "show"], in: folder, environment: environment).status == 0)
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.path("somebody/.local/share/atsgate"))
        #expect(files.sorted() == ["ca-cert.pem", "ca-key.pem"])
        #expect(!FileManager.default.fileExists(atPath: folder.path("rel")))
    }
    #endif

    @Test("the CA's key is only in its file: no response, record, log or export contains it")
    func keyStays() throws {
        let options = ["--ca-dir", "ca", "--store", "s.sqlite", "--json", "r.jsonl", "--keylog", "tls.log"]
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--verbose"] + options, in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        let proxy = "http://127.0.0.1:" + folder.read("port").trimmingCharacters(in: .newlines)
        for (number, words) in [
            [
                "\(proxy)/", "\(proxy)/ca-key.pem", "\(proxy)/ca/ca-key.pem", "--path-as-is",
                "\(proxy)/../ca/ca-key.pem",
            ],
            ["-x", proxy, "http://blocked.example/"], ["-x", proxy, "https://one.invalid/"],
        ].enumerated() {
            _ = try Binary.tool(["curl", "-sv", "--max-time", "10", "--trace", folder.path("trace\(number)")] + words)
        }
        #expect(gate.stop().status == 0)
        for format in ["pem", "der"] {
            _ = try Binary.run(["ca", "export", "--ca-dir", "ca", "--format", format, "--output", format], in: folder)
        }
        let lines = folder.read("ca/ca-key.pem").split(separator: "\n").dropFirst().dropLast()
        let key = try #require(Data(base64Encoded: lines.joined()))
        // RFC 5915 section 3: version 1, then the key itself.
        let mark = try #require(key.firstRange(of: Data([2, 1, 1, 4, 32])))
        let secret = key[mark.upperBound...].prefix(32)
        let forms = [secret, Data(secret.base64EncodedString().utf8), Data(lines.joined().prefix(60).utf8)]
        let files = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
        var seen: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard let bytes = try? Data(contentsOf: file) else { continue }
            seen.insert(file.lastPathComponent)
            let holdsKey = forms.contains { bytes.firstRange(of: $0) != nil }
            #expect(holdsKey == (file.lastPathComponent == "ca-key.pem"), "\(file.lastPathComponent)")
        }
        #expect(seen.isSuperset(of: ["s.sqlite", "r.jsonl", "pem", "der", "trace0", "ca-key.pem"]))
    }
}
