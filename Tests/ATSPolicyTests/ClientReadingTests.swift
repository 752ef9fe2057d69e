import ATSPolicy
import Testing

@Suite("the client, read from the User-Agent")
struct ClientReadingTests {
    private static let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) \(webKit)"
    private static let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"

    @Test(
        "Apple's own loaders are recognised",
        arguments: [
            ("Shop/12 CFNetwork/3860.100.1 Darwin/25.0.0", Loader.app),
            ("AppleCoreMedia/1.0.0.21F90 (iPhone; U; CPU OS 17_5 like Mac OS X; en_us)", .media),
            ("\(phone) Mobile/15E148", .web), ("\(phone) GSA/37.1 Mobile/15E148 Safari/604.1", .web),
            ("\(mac) \(webKit)", .web), ("com.apple.WebKit.Networking/8621 CFNetwork/3860.100.1 Darwin/25.0.0", .web),
        ])
    func governed(agent: String, loader: Loader) {
        for isCommand in [true, false] {
            let reading = ClientReading(userAgent: agent, isCommand: isCommand)
            #expect(reading.loader == loader && reading.program == nil && !reading.isOutside)
        }
    }

    @Test(
        "a program that stands in for the app or for a web view is named",
        arguments: [
            ("curl/8.5.0", Loader.app, ClientProgram.curl), ("libcurl/7.88", .app, .libcurl),
            ("Wget/1.21.4", .app, .wget), ("python-requests/2.32.0", .app, .python), ("node", .app, .node),
            ("axios/1.7.2", .app, .node), ("Java/17.0.9", .app, .java), ("MyOwnAgent", .app, .unknown),
            ("nodeless/1", .app, .unknown), ("", .app, .unknown), (nil, .app, .unnamed),
            ("\(mac) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36", .web, .chrome),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", .web, .firefox),
            ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Version/4.0 Chrome/126 Safari/537.36", .web, .chrome),
            ("Mozilla/5.0", .web, .unknown),
        ] as [(String?, Loader, ClientProgram)])
    func standIns(agent: String?, loader: Loader, program: ClientProgram) {
        for isCommand in [true, false] {
            let reading = ClientReading(userAgent: agent, isCommand: isCommand)
            #expect(reading.loader == loader && reading.program == program && !reading.isOutside)
        }
    }

    @Test(
        "browsers on Apple's systems are outside, also under atsgate run",
        arguments: [
            ("\(phone) Version/18.5 Mobile/15E148 Safari/604.1", ClientProgram.safari),
            ("\(mac) \(webKit) Version/18.5 Safari/605.1.15", .safari),
            ("MobileSafari/8617.1.17.10.9 CFNetwork/1490.0.4 Darwin/23.2.0", .safari),
            ("SafariViewService/1.0 CFNetwork/974.2 Darwin/18.0.0", .safari),
            ("\(phone) CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1", .chrome),
            ("\(phone) FxiOS/127.0 Mobile/15E148 Safari/605.1.15", .firefox),
            ("\(phone) Version/17.0 EdgiOS/126.0 Mobile/15E148 Safari/605.1.15", .edge),
        ])
    func browsers(agent: String, program: ClientProgram) {
        for isCommand in [true, false] {
            let reading = ClientReading(userAgent: agent, isCommand: isCommand)
            #expect(reading.isOutside && reading.program == program && program.isBrowser)
            #expect(reading.judged.loader == .app && !reading.judged.isOutside && reading.judged.program == program)
        }
    }

    @Test(
        "libraries with their own TLS are outside, but stand in for the app under atsgate run",
        arguments: [
            ("Dart/3.5 (dart:io)", ClientProgram.dart), ("okhttp/4.12.0", .okhttp), ("Go-http-client/2.0", .go),
        ])
    func libraries(agent: String, program: ClientProgram) {
        let outside = ClientReading(userAgent: agent)
        #expect(outside.isOutside && outside.program == program)
        let standIn = ClientReading(userAgent: agent, isCommand: true)
        #expect(!standIn.isOutside && standIn.loader == .app && standIn.program == program)
    }
}
