import ATSPolicy
import Records
import Testing

@Suite("the app's name in a User-Agent")
struct ClientAppTests {
    @Test(
        "the first product is the name, as CFNetwork writes it",
        arguments: [
            ("MyApp/1 CFNetwork/3860.100 Darwin/25.0.0", "MyApp"), ("My%20App/1 CFNetwork/1", "My App"),
            ("Wetter-%C3%84%20%281%29/7", "Wetter-Ä (1)"), ("iOS Example/1.0 (org.alamofire)", "iOS Example"),
            ("curl/8.5.0", "curl"), ("MyOwnAgent", "MyOwnAgent"), ("A%2", "A%2"), ("A%+1/1", "A%+1"),
            ("A%FF/1", "A%FF"),
            ("AppleCoreMedia/1.0.0.21E219 (iPhone)", "AppleCoreMedia"),
        ])
    func product(agent: String, name: String) {
        #expect(ClientApp.name(ofAgent: agent, program: nil) == name)
    }

    @Test("a browser engine is named by the recognized program, or as a web view")
    func engine() {
        let agent = "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148"
        #expect(ClientApp.name(ofAgent: agent, program: nil) == "web view")
        #expect(ClientApp.name(ofAgent: agent, program: .safari) == "Safari")
    }

    @Test("no name without a User-Agent, or with one that begins with a slash", arguments: [nil, "", "/1"])
    func none(agent: String?) { #expect(ClientApp.name(ofAgent: agent, program: nil) == nil) }

    @Test("a pattern is encoded as CFNetwork encodes names")
    func encoded() { #expect(ClientApp.encoded("My App-Ä*?") == "My%20App-%C3%84*?") }
}
