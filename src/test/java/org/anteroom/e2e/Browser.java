package org.anteroom.e2e;

import java.nio.file.Path;
import java.util.Map;
import org.anteroom.testing.Tools;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** Debian's Chromium without a screen; nothing is looked for or fetched elsewhere. */
final class Browser {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    private Browser() {}

    /**
     * Opens one, if the packages are installed or must be.
     *
     * @param profile a folder for what it keeps
     * @param downloads where it puts what it downloads
     */
    static ChromeDriver open(Path profile, Path downloads) {
        Tools.require("chromium", CHROMIUM);
        Tools.require("chromium-driver", DRIVER);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments(
                "--headless=new",
                // as root, in a container
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--ignore-certificate-errors",
                "--user-data-dir=" + profile);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.executeCdpCommand(
                "Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", downloads.toString()));
        return driver;
    }
}
