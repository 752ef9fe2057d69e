import Resources
import Text

extension WebAnswer {
    /// For people who came without the token: how to get in.
    ///
    /// - Parameter sentence: of ours, why not.
    static func noToken(_ sentence: String) -> WebAnswer {
        let text = Resource("page/no-token.html").text.replacing("SENTENCE", with: XMLText.escaped(sentence))
        return WebAnswer("text/html; charset=utf-8", Array(text.utf8), status: 401)
    }
}
