package org.anteroom.delivery;

import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dates of HTTP fields in whole seconds (RFC 9110, section 5.6.7): all three forms are read, IMF-fixdate is written.
 *
 * <p>Reading is strict but for one thing: the name of the day is not compared with the date.
 */
public final class HttpDate {
    private static final List<String> DAYS = List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");
    private static final List<String> LONG_DAYS =
            List.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday");
    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

    private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private HttpDate() {}

    /** Whether the time has a year that the format can express. */
    static boolean canExpress(Instant time) {
        return !time.isBefore(FIRST) && time.isBefore(END);
    }

    /**
     * The IMF-fixdate of a time, its fraction of a second cut off; null for years outside of 0 to 9999, which the format
     * cannot express.
     */
    public static @Nullable String format(Instant time) {
        if (!canExpress(time)) {
            return null;
        }
        var utc = time.atOffset(ZoneOffset.UTC);
        StringBuilder text = new StringBuilder(29);
        text.append(DAYS.get(utc.getDayOfWeek().getValue() - 1)).append(", ");
        padded(text, utc.getDayOfMonth(), 2).append(' ');
        text.append(MONTHS.get(utc.getMonthValue() - 1)).append(' ');
        padded(text, utc.getYear(), 4).append(' ');
        padded(text, utc.getHour(), 2).append(':');
        padded(text, utc.getMinute(), 2).append(':');
        return padded(text, utc.getSecond(), 2).append(" GMT").toString();
    }

    /**
     * Reads a date.
     *
     * @param clock where the century of a two-digit year comes from: such a year is at most 50 years ahead
     * @return null if the text is in none of the three forms, or names a day or time that there is not
     */
    public static @Nullable Instant parse(String text, InstantSource clock) {
        String field = text.strip();
        int comma = field.indexOf(',');
        if (comma == 3) {
            return imfFixdate(field);
        }
        return comma > 0 ? rfc850Date(field, comma, clock) : asctimeDate(field);
    }

    /** {@code Sun, 06 Nov 1994 08:49:37 GMT}. */
    private static @Nullable Instant imfFixdate(String field) {
        if (field.length() != 29
                || !DAYS.contains(field.substring(0, 3))
                || !blanks(field, 4, 7, 11, 16)
                || !field.endsWith(" GMT")) {
            return null;
        }
        return instant(number(field, 12, 4), month(field, 8), number(field, 5, 2), secondOfDay(field, 17));
    }

    /** {@code Sunday, 06-Nov-94 08:49:37 GMT}. */
    private static @Nullable Instant rfc850Date(String field, int comma, InstantSource clock) {
        int day = comma + 2;
        if (field.length() != day + 22
                || !LONG_DAYS.contains(field.substring(0, comma))
                || !blanks(field, comma + 1, day + 9)
                || field.charAt(day + 2) != '-'
                || field.charAt(day + 6) != '-'
                || !field.endsWith(" GMT")) {
            return null;
        }
        int twoDigits = number(field, day + 7, 2);
        if (twoDigits < 0) {
            return null;
        }
        Instant now = clock.instant();
        int thisYear = now.atOffset(ZoneOffset.UTC).getYear();
        int year = thisYear - Math.floorMod(thisYear, 100) + twoDigits;
        int month = month(field, day + 3);
        int dayOfMonth = number(field, day, 2);
        int second = secondOfDay(field, day + 10);
        // the century that puts the date in (now - 50 years, now + 50 years]
        Instant limit = now.atOffset(ZoneOffset.UTC).plusYears(50).toInstant();
        for (int century = 100; century >= -100; century -= 100) {
            Instant time = instant(year + century, month, dayOfMonth, second);
            if (time != null && !time.isAfter(limit)) {
                return time;
            }
        }
        return null;
    }

    /** {@code Sun Nov  6 08:49:37 1994}. */
    private static @Nullable Instant asctimeDate(String field) {
        if (field.length() != 24 || !DAYS.contains(field.substring(0, 3)) || !blanks(field, 3, 7, 10, 19)) {
            return null;
        }
        int day = field.charAt(8) == ' ' ? number(field, 9, 1) : number(field, 8, 2);
        return instant(number(field, 20, 4), month(field, 4), day, secondOfDay(field, 11));
    }

    private static @Nullable Instant instant(int year, int month, int day, int secondOfDay) {
        if (year < 0
                || month < 1
                || day < 1
                || secondOfDay < 0
                || day > YearMonth.of(year, month).lengthOfMonth()) {
            return null;
        }
        return Instant.ofEpochSecond(LocalDate.of(year, month, day).toEpochDay() * 86_400 + secondOfDay);
    }

    /** Reads {@code HH:MM:SS}; the second 60 of a leap second is the first of the next minute. */
    private static int secondOfDay(String field, int at) {
        int hour = number(field, at, 2);
        int minute = number(field, at + 3, 2);
        int second = number(field, at + 6, 2);
        if (field.charAt(at + 2) != ':'
                || field.charAt(at + 5) != ':'
                || hour < 0
                || hour > 23
                || minute < 0
                || minute > 59
                || second < 0
                || second > 60) {
            return -1;
        }
        return hour * 3600 + minute * 60 + second;
    }

    private static int month(String field, int at) {
        return MONTHS.indexOf(field.substring(at, at + 3)) + 1;
    }

    private static int number(String field, int at, int digits) {
        int value = 0;
        for (int i = at; i < at + digits; i++) {
            char c = field.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = value * 10 + c - '0';
        }
        return value;
    }

    private static boolean blanks(String field, int... places) {
        for (int place : places) {
            if (field.charAt(place) != ' ') {
                return false;
            }
        }
        return true;
    }

    private static StringBuilder padded(StringBuilder text, int value, int digits) {
        String number = Integer.toString(value);
        for (int i = number.length(); i < digits; i++) {
            text.append('0');
        }
        return text.append(number);
    }
}
