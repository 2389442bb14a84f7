package org.anteroom.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Locale;
import java.util.function.Function;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * A whole folder as a page of HTML, for people and for programs that follow its links: plain relative links, those to
 * folders ending with a slash, no script.
 */
final class HtmlListing implements ListingFormat {
    private static final String STYLE = """
            :root{color-scheme:light dark}
            body{font:1rem/1.5 system-ui,sans-serif;margin:1rem auto;max-width:60rem;padding:0 1rem}
            h1{font-size:1.25rem;overflow-wrap:anywhere}
            table{border-collapse:collapse;width:100%}
            th,td{padding:.25rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid #8884}
            th[scope=row]{font-weight:normal;white-space:pre-wrap;overflow-wrap:anywhere}
            td{white-space:nowrap}
            .size{text-align:right}
            @media(max-width:30rem){.time{display:none}}
            """;

    /** Nothing is loaded or run; the one style is named by its checksum. */
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; style-src 'sha256-" + digest(STYLE) + "'; base-uri 'none'; form-action 'none'";

    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final FolderKey folder;
    private final String query;
    private final Function<FileFacts, @Nullable Instant> lastModified;
    private boolean empty = true;

    /**
     * A page.
     *
     * @param query what every link ends with: empty, or beginning with a question mark
     * @param lastModified the time of a file's last change as it is told, or null
     */
    HtmlListing(FolderKey folder, String query, Function<FileFacts, @Nullable Instant> lastModified) {
        this.folder = folder;
        this.query = query;
        this.lastModified = lastModified;
    }

    private static String digest(String text) {
        MessageDigest digester = Sha256.digester();
        return Base64.getEncoder().encodeToString(digester.digest(text.getBytes(UTF_8)));
    }

    @Override
    public String contentType() {
        return "text/html;charset=utf-8";
    }

    @Override
    public String contentSecurityPolicy() {
        return CONTENT_SECURITY_POLICY;
    }

    @Override
    public byte[] begin() {
        String title = folder.dataset() + '/' + (folder.path().isEmpty() ? "" : folder.path() + '/');
        StringBuilder page = new StringBuilder(2048);
        page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        Html.escape(title, page);
        page.append("</title>\n<style>")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<main>\n<h1 id=\"folder\"><bdi>");
        Html.escape(title, page);
        page.append("</bdi></h1>\n");
        if (!folder.path().isEmpty()) {
            page.append("<p><a href=\"../").append(query).append("\">Folder above</a></p>\n");
        }
        page.append("<table aria-labelledby=\"folder\">\n<thead>\n<tr><th scope=\"col\">Name</th>"
                + "<th scope=\"col\" class=\"size\">Size</th><th scope=\"col\" class=\"time\">Changed (UTC)</th></tr>\n"
                + "</thead>\n<tbody>\n");
        return page.toString().getBytes(UTF_8);
    }

    @Override
    public byte[] entry(ArchiveEntry entry) {
        empty = false;
        FileFacts facts = entry.facts();
        StringBuilder row = new StringBuilder(256);
        row.append("<tr><th scope=\"row\"><a href=\"").append(UriText.encode(entry.name()));
        row.append(entry.isFolder() ? "/" : "").append(query).append("\"><bdi>");
        Html.escape(entry.key(), row);
        row.append("</bdi></a></th><td class=\"size\">");
        if (facts != null && facts.hasSize()) {
            row.append("<data value=\"").append(facts.size()).append("\">");
            appendSize(facts.size(), row);
            row.append("</data>");
        }
        row.append("</td><td class=\"time\">");
        Instant changed = facts == null ? null : lastModified.apply(facts);
        if (changed != null) {
            // HTML's times have three digits after the point at most
            row.append("<time datetime=\"")
                    .append(changed.truncatedTo(ChronoUnit.MILLIS))
                    .append("\">");
            row.append(TIME.format(changed)).append("</time>");
        }
        return row.append("</td></tr>\n").toString().getBytes(UTF_8);
    }

    @Override
    public byte[] end(@Nullable String last) {
        return ((empty ? "<tr><td colspan=\"3\">There is nothing in this folder.</td></tr>\n" : "")
                        + "</tbody>\n</table>\n</main>\n</body>\n</html>\n")
                .getBytes(UTF_8);
    }

    /** Three digits of a size, in powers of a thousand; cut off, not rounded. */
    private static void appendSize(long size, StringBuilder out) {
        long whole = size;
        long tenths = 0;
        int unit = 0;
        while (whole >= 1000) {
            tenths = whole % 1000 / 100;
            whole /= 1000;
            unit++;
        }
        out.append(whole);
        if (unit > 0 && whole < 100) {
            out.append('.').append(tenths);
        }
        out.append(' ').append(UNITS[unit]);
    }
}
