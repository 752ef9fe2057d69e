import java.io.FileInputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Loads a URL without a proxy, and trusts only the CA of ATSGATE_CA. */
class Client {
    public static void main(String[] arguments) throws Exception {
        KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
        roots.load(null, null);
        try (var file = new FileInputStream(System.getenv("ATSGATE_CA"))) {
            roots.setCertificateEntry("gate", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(roots);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        var client = HttpClient.newBuilder().sslContext(context).proxy(ProxySelector.of(null)).build();
        var answer = client.send(
            HttpRequest.newBuilder(URI.create(arguments[0])).build(), HttpResponse.BodyHandlers.discarding());
        if (answer.statusCode() != 200) throw new Exception("status " + answer.statusCode());
    }
}
