import ATSPolicy
import Declarations

/// Reads what libFuzzer made up as a policy file: it gives a tree or throws the room's one error, and whatever tree
/// comes out can be turned into a declaration and judged by.
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
