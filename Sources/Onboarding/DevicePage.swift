/// The frame of each page that the gate shows to a device.
struct DevicePage {
    let title: String
    /// Path of its script; the page is readable without it.
    let script: String
    /// As HTML.
    let heading: String
    /// HTML of whole lines.
    let body: String

    var text: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <link rel="stylesheet" href="/onboarding.css">
        <script src="\(script)" defer></script>
        </head>
        <body>
        <main>
        <header><p class="brand">atsgate</p><h1>\(heading)</h1></header>
        \(body)</main>
        </body>
        </html>

        """
    }
}
