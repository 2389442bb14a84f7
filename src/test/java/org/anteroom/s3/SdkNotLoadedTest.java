package org.anteroom.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where nothing lies in an object store the AWS SDK is not loaded: the application begins without it. */
class SdkNotLoadedTest {

    @Test
    void whatIsMadeInAnyCaseNeedsNoSdk() throws Exception {
        try (URLClassLoader without = new URLClassLoader(classPathWithoutSdk(), ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> without.loadClass("software.amazon.awssdk.core.exception.SdkException"))
                    .isInstanceOf(ClassNotFoundException.class);
            for (String name : List.of(
                    "org.anteroom.app.Instance",
                    "org.anteroom.app.Volumes",
                    "org.anteroom.app.Archives",
                    "org.anteroom.config.Configuration")) {
                assertThat(Class.forName(name, true, without).getClassLoader()).isSameAs(without);
            }
            Class<?> metrics = without.loadClass("org.anteroom.metrics.Metrics");
            Class<?> ticker = without.loadClass("com.github.benmanes.caffeine.cache.Ticker");
            Object registered = metrics.getConstructor().newInstance();
            Object clients = without.loadClass("org.anteroom.s3.S3Clients")
                    .getConstructor(metrics, ticker)
                    .newInstance(registered, ticker.getMethod("systemTicker").invoke(null));
            Object registry = metrics.getMethod("registry").invoke(registered);
            assertThat(registry.getClass().getMethod("scrape").invoke(registry)).isNotNull();
            clients.getClass().getMethod("close").invoke(clients);
        }
    }

    private static URL[] classPathWithoutSdk() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
            if (!entry.contains("awssdk")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }
}
