# A formula for your own tap; .ci/packages.sh replaces the placeholders between @ signs, and checks it.
# Source: docs.brew.sh, "Formula Cookbook" and "How to Create and Maintain a Tap".
class Atsgate < Formula
  desc "Proxy that applies an app's App Transport Security dictionary to live traffic"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@DIGEST@"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.4", :build]
  depends_on "libnghttp2"
  depends_on "libzip"
  depends_on macos: :sequoia
  depends_on "openssl@3"
  depends_on "qrencode"

  uses_from_macos "python" => :build
  uses_from_macos "swift" => :build
  uses_from_macos "libxml2"
  uses_from_macos "sqlite"

  def install
    # Homebrew has its own sandbox, and the package manager's cannot run inside it.
    args = OS.mac? ? ["--disable-sandbox"] : ["--static-swift-stdlib"]
    system "swift", "build", *args, "--configuration", "release", "--product", "atsgate"
    bin.install ".build/release/atsgate"
    generate_completions_from_executable(bin/"atsgate", "--generate-completion-script")
    ENV["SOURCE_DATE_EPOCH"] = "@EPOCH@"
    system "site/manual.py", bin/"atsgate", "manual"
    man1.install Dir["manual/*.1"]
    pkgetc.install "config/atsgate.conf"
    pkgshare.install "config/dictionaries"
    doc.install "docs", "THIRD-PARTY.md", "SECURITY.md"
  end

  service do
    run [opt_bin/"atsgate", "proxy", "--config", etc/"atsgate/atsgate.conf"]
    keep_alive crashed: true
    error_log_path var/"log/atsgate.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/atsgate --version")
    # The secure defaults block a cleartext load, which is exit code 1.
    assert_match "ats.cleartext-load", shell_output("#{bin}/atsgate explain --json http://example.com/", 1)
    (testpath/"Info.plist").write <<~XML
      <plist version="1.0"><dict><key>NSAppTransportSecurity</key>
      <dict><key>NSAllowsArbitraryLoads</key><true/></dict></dict></plist>
    XML
    shell_output("#{bin}/atsgate explain --policy Info.plist http://example.com/")
  end
end
