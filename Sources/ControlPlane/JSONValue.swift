import Text

/// The project's own: FlyingFox has one of that name, too.
typealias JSONValue = Text.JSONValue
