import ATSPolicy
import Dialing
import Foundation
import Lab
import NetLoop
import ProxyCore
import ProxyServer

/// The surroundings of the demo's gate: test origins, an app's dictionary, and a temporary folder for all files.
struct DemoStage {
    let lab: Lab
    private let folder: TemporaryFolder

    /// - Throws: ``CommandFailure``; the folder is then deleted.
    init() throws {
        folder = try TemporaryFolder()
        do {
            do throws(LabError) {
                lab = try Lab(now: Int64(Date().timeIntervalSince1970))
                try lab.writeRoot(to: folder.path(of: "lab-root.pem"))
            } catch {
                throw CommandFailure(error)
            }
            try WholeFile.write(Self.dictionary, to: folder.path(of: Self.dictionaryName))
            // So that the page and the report show the dictionary's name without a folder.
            _ = FileManager.default.changeCurrentDirectoryPath(folder.path(of: ""))
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Closes the origins and deletes the folder.
    func end() {
        lab.stop()
        folder.remove()
    }

    /// The options of the gate. They read and write no files of the user.
    var choices: GateChoices {
        var choices = GateChoices()
        choices.listeners = [ListenAddress(host: "127.0.0.1", port: 0, label: "demo")]
        choices.caDirectory = folder.path(of: "ca")
        choices.store = .file(folder.path(of: "records.sqlite"))
        choices.recording = "demo"
        choices.drain = GateChoices.runDrain
        choices.verbosity = .quiet
        choices.settings.policyPath = Self.dictionaryName
        // The demo imitates URLSession with its own TLS, which would be a finding for each load.
        choices.settings.rules.clients.loader = .app
        choices.settings.roots = [folder.path(of: "lab-root.pem")]
        choices.settings.connectTo = lab.origins.map {
            ConnectTo(host: $0.name, port: $0.port, toHost: "127.0.0.1", toPort: $0.realPort)
        }
        if let cleartext = lab.origin(named: "cleartext.lab.test") {
            choices.settings.connectTo.append(
                ConnectTo(host: Self.exceptedHost, port: 80, toHost: "127.0.0.1", toPort: cleartext.realPort))
        }
        return choices
    }

    /// Twelve loads of each origin, and of the host with the exception.
    var loads: [DemoLoad] {
        let excepted = Self.paths.map { DemoLoad(isSecure: false, host: Self.exceptedHost, path: $0, passes: true) }
        return excepted
            + lab.origins.flatMap { origin in
                Self.paths.map {
                    DemoLoad(
                        isSecure: origin.scheme == .https, host: origin.name, path: $0,
                        passes: origin.expectedVerdict == "allowed")
                }
            }
    }

    private static let exceptedHost = "legacy.lab.test"
    private static let dictionaryName = "Demo-Info.plist"
    /// Only paths that the lab answers with 200.
    private static let paths = (1...12).map { "/?item=\($0)" }
    private static let dictionary = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>NSAppTransportSecurity</key>
            <dict>
                <key>NSExceptionDomains</key>
                <dict>
                    <key>\(exceptedHost)</key>
                    <dict>
                        <key>NSExceptionAllowsInsecureHTTPLoads</key>
                        <true/>
                    </dict>
                </dict>
            </dict>
        </dict>
        </plist>

        """
}

/// A load of the demo, and whether the lab expects it to be allowed.
struct DemoLoad {
    let load: LabLoad
    let passes: Bool

    init(isSecure: Bool, host: String, path: String, passes: Bool) {
        load = LabLoad(isSecure: isSecure, host: host, path: path, userAgent: Self.agent)
        self.passes = passes
    }

    /// The User-Agent that URLSession of iOS 27 sends for an app; docs/law/profiles.md#darwin.
    private static let agent = "Demo/1 CFNetwork/3896.100.1 Darwin/27.0.0"
}
