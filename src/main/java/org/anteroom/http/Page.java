package org.anteroom.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * The part of a list that a client asks for.
 *
 * <p>A cursor is the list's name and the key of the last item that was given out, in base 64 (RFC 4648, section 5), so that
 * it stays good when items come and go, and is not taken for one of another list.
 *
 * @param list the list's name
 * @param after the key to go on after, or the empty string
 * @param limit the most items, 1 to {@link #MAX_LIMIT}
 */
public record Page(String list, String after, int limit) {
    /** Items on a page whose limit is not said. */
    public static final int DEFAULT_LIMIT = 100;

    /** The most that may be asked for. */
    public static final int MAX_LIMIT = 1000;

    /**
     * Items of a list.
     *
     * @param next what to ask for with {@code after}, or null at the end
     */
    public record Items<T>(List<T> items, @Nullable String next) {}

    /**
     * Reads the parameters.
     *
     * @param limit a number, or null for {@link #DEFAULT_LIMIT}
     * @param cursor what an earlier page gave as next; null or empty for the first page
     * @throws FailureException MALFORMED if one of them cannot be
     */
    public static Page of(String list, @Nullable String limit, @Nullable String cursor) throws FailureException {
        return new Page(
                list,
                cursor == null || cursor.isEmpty() ? "" : key(list, cursor),
                limit == null ? DEFAULT_LIMIT : number(limit));
    }

    private static int number(String text) throws FailureException {
        if (text.matches("[0-9]{1,4}")) {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= MAX_LIMIT) {
                return number;
            }
        }
        throw new FailureException(FailureReason.MALFORMED, "The limit is a number from 1 to " + MAX_LIMIT + ".");
    }

    private static String key(String list, String cursor) throws FailureException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Base64.getUrlDecoder().decode(cursor)))
                    .toString();
            if (text.length() > list.length() + 1 && text.startsWith(list + ':')) {
                return text.substring(list.length() + 1);
            }
            throw wrongCursor(null);
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw wrongCursor(e);
        }
    }

    private static FailureException wrongCursor(@Nullable Exception cause) {
        return new FailureException(
                FailureReason.MALFORMED,
                "The parameter after takes what an earlier page of this list gave as next.",
                cause);
    }

    /**
     * The page of items that were fetched with one more than the limit, by which it is known whether more follow.
     *
     * @param key by which the items are in ascending order
     */
    public <T> Items<T> of(List<T> fetched, Function<T, String> key) {
        if (fetched.size() <= limit) {
            return new Items<>(fetched, null);
        }
        List<T> items = fetched.subList(0, limit);
        return new Items<>(items, next(key.apply(items.get(limit - 1))));
    }

    /** The cursor for what follows an item. */
    public String next(String key) {
        byte[] cursor = (list + ':' + key).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor);
    }

    /** The page of a list that is in memory as a whole, by key. */
    public <T> Items<T> among(List<T> all, Function<T, String> key) {
        return of(
                all.stream()
                        .filter(item -> after.isEmpty() || key.apply(item).compareTo(after) > 0)
                        .sorted(Comparator.comparing(key))
                        .limit(limit + 1L)
                        .toList(),
                key);
    }
}
