import ATSPolicy
import Testing

struct LoaderTests {
    @Test(
        "the User-Agent tells who is asking",
        arguments: [
            ("Shop/12 CFNetwork/3860.100.1 Darwin/25.0.0", Loader.app),
            ("AppleCoreMedia/1.0.0.21F90 (iPhone; U; CPU OS 17_5 like Mac OS X; en_us)", .media),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Mobile/15E148", .web
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Version/18.5 Mobile/15E148 Safari/604.1", .outside
            ),
            ("com.apple.WebKit.Networking/8621 CFNetwork/3860.100.1 Darwin/25.0.0", .web),
            ("Dart/3.5 (dart:io)", .outside), ("curl/8.5.0", .outside), ("okhttp/4.12.0", .outside),
            ("libcurl/7.88", .outside), ("Go-http-client/2.0", .outside), ("MyOwnAgent", .app), ("", .app),
        ])
    func agents(agent: String, loader: Loader) {
        #expect(Loader(userAgent: agent) == loader)
    }

    @Test func noAgentIsTheApp() {
        #expect(Loader(userAgent: nil) == .app)
    }
}
