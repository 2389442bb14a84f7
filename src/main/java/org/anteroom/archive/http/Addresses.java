package org.anteroom.archive.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of files on the other server: BASE/dataset/path, the dataset's id being one segment, each segment
 * percent-encoded once. All but the unreserved characters (RFC 3986, section 2.3) is encoded, so that no server takes any of
 * it for something else.
 *
 * <p>No address leads beyond the base: neither to another scheme, host or port, nor above its path.
 */
final class Addresses {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final URI base;

    Addresses(URI location) {
        String text = location.toString();
        this.base = URI.create(text.endsWith("/") ? text : text + "/");
    }

    /** The address below which all others lie; ends with a slash. */
    URI base() {
        return base;
    }

    URI of(FileKey key) {
        StringBuilder address = new StringBuilder(base.toString());
        encode(key.dataset(), address);
        for (String segment : key.path().split("/", -1)) {
            address.append('/');
            encode(segment, address);
        }
        return URI.create(address.toString());
    }

    private static void encode(String segment, StringBuilder out) {
        for (byte b : segment.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (isUnreserved(c)) {
                out.append(c);
            } else {
                out.append('%').append(HEX.toHexDigits(b));
            }
        }
    }

    private static boolean isUnreserved(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_'
                || c == '~';
    }

    /**
     * Where a redirect leads.
     *
     * @throws FailureException ARCHIVE_REFUSED if it leads beyond the base; NOT_FOUND if it only adds a slash, which servers
     *     do for folders
     */
    URI redirected(URI from, String location) throws FailureException {
        URI target;
        try {
            target = from.resolve(new URI(location.strip()));
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw beyond();
        }
        String path = Objects.requireNonNullElse(target.getRawPath(), "");
        if (!isSameOrigin(target) || !path.startsWith(base.getRawPath()) || climbs(path)) {
            throw beyond();
        }
        if (decoded(path).equals(decoded(from.getRawPath()) + '/')) {
            throw new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
        }
        return target;
    }

    private boolean isSameOrigin(URI target) {
        return lower(base.getScheme()).equals(lower(target.getScheme()))
                && lower(base.getHost()).equals(lower(target.getHost()))
                && port(base) == port(target)
                && target.getRawUserInfo() == null;
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }

    private static int port(URI address) {
        return address.getPort() >= 0 ? address.getPort() : "https".equals(lower(address.getScheme())) ? 443 : 80;
    }

    /** Whether a segment is a dot or two of them, also in disguise. */
    private static boolean climbs(String rawPath) {
        for (String segment : rawPath.split("/", -1)) {
            String name = decoded(segment);
            if (name.equals(".") || name.equals("..") || name.indexOf('\\') >= 0 || name.indexOf('/') >= 0) {
                return true;
            }
        }
        return false;
    }

    private static String decoded(String rawPath) {
        return URLDecoder.decode(rawPath.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static FailureException beyond() {
        return new FailureException(
                FailureReason.ARCHIVE_REFUSED, "The archive sends requests for the file to where they may not go.");
    }
}
