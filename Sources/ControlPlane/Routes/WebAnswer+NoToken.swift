import Resources
import Text

extension WebAnswer {
    /// A page for users without the token, which explains how to get it.
    ///
    /// - Parameter sentence: the reason for the refusal.
    static func noToken(_ sentence: String) -> WebAnswer {
        let text = Resource("page/no-token.html").text.replacing("SENTENCE", with: XMLText.escaped(sentence))
        return WebAnswer("text/html; charset=utf-8", Array(text.utf8), status: 401)
    }
}
