import ATSPolicy
import Declarations

/// Reads the fuzzer's input as a policy file: the result is a tree or the target's error type, and every tree can be
/// turned into a dictionary and used for rulings.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDeclarations(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(DeclarationError) {
        let declaration = try DeclarationReader.parse(bytes, source: "fuzz")
        for profile in [OSProfile.iOS18_4, .iOS26] {
            let judge = Judge(declaration: declaration, profile: profile)
            for host in ["a.example.com", "localhost", "192.0.2.1", "2001:db8::1"] {
                _ = judge.rule(on: LoadTarget(scheme: .http, host: host, port: 80), loader: .app)
            }
        }
    } catch {
        precondition(error.source == "fuzz", "an error must name its file")
    }
    return 0
}
