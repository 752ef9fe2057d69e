/// The short help for a user who types only `atsgate`.
enum BareCommandText {
    static let text = """
        atsgate \(toolVersion) enforces an app's App Transport Security dictionary on live HTTP and HTTPS traffic.

        Three ways to start:
          atsgate demo                                       see it work, without any other program
          atsgate proxy --policy MyApp.app                   a gate for a simulator or a phone
          atsgate run --policy Info.plist -- curl https://example.com/
                                                             a gate for one command, and the verdict on its loads

        atsgate --help lists all commands.

        """
}
