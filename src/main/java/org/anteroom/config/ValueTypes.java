package org.anteroom.config;

import java.math.BigInteger;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.http.CorsSettings;
import org.anteroom.s3.S3Location;

/** The kinds of values that there are. */
final class ValueTypes {

    /** {@code true} or {@code false}. */
    static final ValueType<Boolean> BOOLEAN =
            new ValueType<>("`true` or `false`", "true", text -> switch (text.toLowerCase(Locale.ROOT)) {
                case "true" -> true;
                case "false" -> false;
                default -> throw new BadValueException("neither true nor false; write one of them");
            });

    /** A share of a whole. */
    static final ValueType<Double> RATIO = new ValueType<>("ratio", "0.95", ValueTypes::ratio);

    /** Names of volumes, separated by commas. */
    static final ValueType<List<String>> NAMES = new ValueType<>("names", "fast, bulk", ValueTypes::names);

    /** A folder, absolute or below the base folder of the container. */
    static final ValueType<Path> FOLDER = new ValueType<>("folder", "/srv/anteroom", ValueTypes::folder);

    /** A folder or something else, as another key says. */
    static final ValueType<String> PLACE = new ValueType<>("place", "/srv/archive", text -> text);

    /** A volume's folder, or its place in an object store, as another key says. */
    static final ValueType<String> VOLUME_PLACE = new ValueType<>("folder", "/srv/anteroom", text -> text);

    /** A place in an object store. */
    static final ValueType<S3Location> STORE_PLACE =
            new ValueType<>("place", "s3://bucket/prefix", ValueTypes::storePlace);

    /** The address of an object store; empty for AWS. */
    static final ValueType<Optional<URI>> ENDPOINT =
            new ValueType<>("URL", "http://127.0.0.1:9000", ValueTypes::endpoint);

    /** A region of AWS. */
    static final ValueType<String> REGION = new ValueType<>("name", "eu-central-1", ValueTypes::region);

    /** The address of a folder on a server. */
    static final ValueType<URI> SERVER = new ValueType<>(
            "URL", "https://archive.example.org/files", text -> server(text, "archive.http.credentials"));

    /** A name that may stand in a file's name. */
    static final ValueType<String> NAME = new ValueType<>("name", "reading-room-1", ValueTypes::name);

    /** The value of a Cache-Control header (RFC 9111, section 5.2). */
    static final ValueType<String> CACHE_CONTROL =
            new ValueType<>("text", "public, no-cache", ValueTypes::cacheControl);

    /** Media types by suffix. */
    static final ValueType<Map<String, String>> MEDIA_TYPES =
            new ValueType<>("types", "czi=image/x-zeiss, las=application/vnd.las", ValueTypes::mediaTypes);

    /** Origins, or one of the words for all and none. */
    static final ValueType<CorsSettings> ORIGINS =
            new ValueType<>("origins", "https://example.org, https://viewer.example.org:8443", ValueTypes::origins);

    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([0-9]{1,40})\\s*([A-Za-z]*)");
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,20}(\\.[0-9]{1,20})?");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,40}");
    private static final Pattern VOLUME_NAME = Pattern.compile("[a-z0-9-]+");
    private static final Pattern INSTANCE_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}");
    private static final Pattern SUFFIX = Pattern.compile("[A-Za-z0-9_+-]+");
    private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
    private static final String QUOTED = "\"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*\"";
    private static final String DIRECTIVE = TOKEN + "(=(" + TOKEN + "|" + QUOTED + "))?";
    private static final Pattern DIRECTIVES = Pattern.compile(DIRECTIVE + "( *, *" + DIRECTIVE + ")*");
    private static final Pattern MEDIA_TYPE =
            Pattern.compile(TOKEN + "/" + TOKEN + "( ?; ?" + TOKEN + "=(" + TOKEN + "|\"[^\"\\\\\\p{Cntrl}]*\"))*");
    private static final Pattern LABELS = Pattern.compile("[a-z0-9-]{1,40}");
    private static final String LABEL = "[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?";
    private static final Pattern ORIGIN = Pattern.compile(
            "[a-z][a-z0-9+.-]*://(" + LABEL + "(\\." + LABEL + ")*|\\[[0-9a-f:]+])(:(?<port>[1-9][0-9]{0,4}))?");
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:/.*");

    private static final Map<String, Long> SIZE_UNITS = Map.ofEntries(
            Map.entry("", 1L),
            Map.entry("b", 1L),
            Map.entry("kb", 1_000L),
            Map.entry("mb", 1_000_000L),
            Map.entry("gb", 1_000_000_000L),
            Map.entry("tb", 1_000_000_000_000L),
            Map.entry("pb", 1_000_000_000_000_000L),
            Map.entry("kib", 1L << 10),
            Map.entry("mib", 1L << 20),
            Map.entry("gib", 1L << 30),
            Map.entry("tib", 1L << 40),
            Map.entry("pib", 1L << 50));

    private static final Map<String, Duration> DURATION_UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    /** So long that nanoseconds still fit into 64 bits, and longer than anyone means. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private ValueTypes() {}

    /** A number of bytes. */
    static ValueType<Long> size(long least) {
        return new ValueType<>("size", "500GiB", text -> {
            Matcher matcher = NUMBER_AND_UNIT.matcher(text);
            Long unit = matcher.matches() ? SIZE_UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
            if (unit == null) {
                throw new BadValueException(
                        "not a size; write a whole number of bytes, or one with KB, MB, GB, TB, PB, "
                                + "KiB, MiB, GiB, TiB or PiB, such as 500GiB");
            }
            BigInteger bytes = new BigInteger(matcher.group(1)).multiply(BigInteger.valueOf(unit));
            if (bytes.bitLength() > 63) {
                throw new BadValueException("too large; the most is 8191PiB");
            }
            if (bytes.longValue() < least) {
                throw new BadValueException("too small; the least is " + least + (least == 1 ? " byte" : " bytes"));
            }
            return bytes.longValue();
        });
    }

    /** A length of time. */
    static ValueType<Duration> duration(Duration least) {
        return new ValueType<>("time", "30s", text -> {
            Matcher matcher = NUMBER_AND_UNIT.matcher(text);
            Duration unit =
                    matcher.matches() ? DURATION_UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
            if (unit == null) {
                throw new BadValueException(
                        "not a time; write a whole number and one of the units ms, s, m, h, d, such as 30s");
            }
            BigInteger count = new BigInteger(matcher.group(1));
            if (count.compareTo(BigInteger.valueOf(LONGEST.dividedBy(unit))) > 0) {
                throw new BadValueException("too long; the most is " + LONGEST.toDays() + "d");
            }
            Duration duration = unit.multipliedBy(count.longValue());
            if (duration.compareTo(least) < 0) {
                throw new BadValueException("too short; the least is " + least.toMillis() + "ms");
            }
            return duration;
        });
    }

    /** A whole number, bounds included. */
    static ValueType<Integer> number(int least, int most, String example) {
        return new ValueType<>("number", example, text -> {
            if (WHOLE.matcher(text).matches()) {
                BigInteger number = new BigInteger(text);
                if (number.compareTo(BigInteger.valueOf(least)) >= 0
                        && number.compareTo(BigInteger.valueOf(most)) <= 0) {
                    return number.intValue();
                }
            }
            throw new BadValueException("not a whole number from " + least + " to " + most);
        });
    }

    /** One of a few words. */
    static ValueType<String> oneOf(String... words) {
        return new ValueType<>(choice(words, "`"), words[0], text -> {
            if (!List.of(words).contains(text)) {
                throw new BadValueException("not a choice here; write " + choice(words, ""));
            }
            return text;
        });
    }

    private static String choice(String[] words, String quote) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words.length; i++) {
            if (i > 0) {
                text.append(i == words.length - 1 ? " or " : ", ");
            }
            text.append(quote).append(words[i]).append(quote);
        }
        return text.toString();
    }

    private static Double ratio(String text) throws BadValueException {
        double ratio = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        if (!(ratio <= 1)) {
            throw new BadValueException("not a ratio; write a number from 0 to 1, such as 0.95");
        }
        return ratio;
    }

    private static List<String> names(String text) throws BadValueException {
        List<String> names = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            String name = item.strip();
            if (name.isEmpty()) {
                throw new BadValueException("a name is missing beside a comma; write a list such as fast, bulk");
            }
            if (!VOLUME_NAME.matcher(name).matches()) {
                throw new BadValueException("'" + name
                        + "' is not a name; use lower-case letters, digits and hyphens, and commas between names");
            }
            if (names.contains(name)) {
                throw new BadValueException("'" + name + "' stands in it twice; name each volume once");
            }
            names.add(name);
        }
        return List.copyOf(names);
    }

    private static Path folder(String text) throws BadValueException {
        if (SCHEME.matcher(text).matches()) {
            throw new BadValueException("not a folder but a URL; write a path such as /srv/anteroom");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new BadValueException(
                    "not a path on this machine (" + e.getReason()
                            + "); write one such as /srv/anteroom, and start Java under a UTF-8 locale if it has other letters");
        }
    }

    private static S3Location storePlace(String text) throws BadValueException {
        try {
            return S3Location.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadValueException("not a place in an object store (" + e.getMessage()
                    + "); write s3://BUCKET or s3://BUCKET/PREFIX, such as s3://copies/anteroom");
        }
    }

    private static Optional<URI> endpoint(String text) throws BadValueException {
        return text.equals("none")
                ? Optional.empty()
                : Optional.of(server(text, "the key that ends in .s3.credentials"));
    }

    private static String region(String text) throws BadValueException {
        if (!LABELS.matcher(text).matches()) {
            throw new BadValueException("not a region; write one such as us-east-1");
        }
        return text;
    }

    private static URI server(String text, String key) throws BadValueException {
        URI address;
        try {
            address = new URI(text);
        } catch (URISyntaxException e) {
            throw new BadValueException("not a URL; write one such as https://archive.example.org/files, with what is"
                    + " no letter, digit or -._~ in its path percent-encoded");
        }
        if (address.getRawUserInfo() != null) {
            throw new BadValueException(
                    "a user or password in a URL is seen by everybody; leave it out, and name its entries in the context"
                            + " descriptor by " + key);
        }
        if (!("http".equals(address.getScheme()) || "https".equals(address.getScheme()))
                || address.getHost() == null
                || address.getRawQuery() != null
                || address.getRawFragment() != null) {
            throw new BadValueException("not the URL of a folder on a server; write http:// or https://, a host and a"
                    + " path, such as https://archive.example.org/files");
        }
        return address.normalize();
    }

    private static String name(String text) throws BadValueException {
        if (!INSTANCE_NAME.matcher(text).matches()) {
            throw new BadValueException("not a name; write up to 100 letters (A-Z, a-z), digits, '.', '_' and '-', "
                    + "the first not a '.'");
        }
        return text;
    }

    private static String cacheControl(String text) throws BadValueException {
        if (!DIRECTIVES.matcher(text).matches()) {
            throw new BadValueException("not a Cache-Control; write directives with commas between them, such as"
                    + " public, max-age=3600");
        }
        return text;
    }

    private static Map<String, String> mediaTypes(String text) throws BadValueException {
        Map<String, String> types = new LinkedHashMap<>();
        if (text.equals("none")) {
            return types;
        }
        for (String item : text.split(",", -1)) {
            int equals = item.indexOf('=');
            String suffix = equals < 0 ? "" : item.substring(0, equals).strip().toLowerCase(Locale.ROOT);
            String type = item.substring(equals + 1).strip();
            if (!SUFFIX.matcher(suffix).matches()
                    || !MEDIA_TYPE.matcher(type).matches()
                    || !type.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
                throw new BadValueException("'" + item.strip()
                        + "' is not SUFFIX=TYPE; write a suffix without its dot and a media type, such as"
                        + " czi=image/x-zeiss, and commas between them");
            }
            if (types.put(suffix, type) != null) {
                throw new BadValueException("'" + suffix + "' stands in it twice; give each suffix one type");
            }
        }
        return types;
    }

    private static CorsSettings origins(String text) throws BadValueException {
        if (text.equals("none")) {
            return CorsSettings.NONE;
        }
        if (text.equals("*")) {
            return CorsSettings.ANY;
        }
        Set<String> origins = new LinkedHashSet<>();
        for (String item : text.split(",", -1)) {
            String origin = item.strip().toLowerCase(Locale.ROOT);
            Matcher matcher = ORIGIN.matcher(origin);
            if (!matcher.matches()) {
                throw new BadValueException("'" + item.strip() + "' is not an origin; write scheme and host, and a port"
                        + " where it is not the usual one, such as https://example.org, with commas between them; or *"
                        + " alone, or none");
            }
            if (matcher.group("port") != null && Integer.parseInt(matcher.group("port")) > 65_535) {
                throw new BadValueException("'" + item.strip() + "' has a port that there is not; the last is 65535");
            }
            if (origin.matches("http://.*:80|https://.*:443")) {
                throw new BadValueException(
                        "'" + item.strip() + "' has a port that browsers leave out; leave it out, too");
            }
            origins.add(origin);
        }
        return new CorsSettings(false, origins);
    }
}
