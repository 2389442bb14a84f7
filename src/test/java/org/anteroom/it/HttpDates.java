package org.anteroom.it;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The three forms of dates in fields (RFC 9110, section 5.6.7), read apart from the code that is tested. */
final class HttpDates {
    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
    private static final String DAY = "(Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
    private static final String LONG_DAY = "(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
    private static final String MONTH = "(?<month>" + String.join("|", MONTHS) + ")";
    private static final String TIME = "(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)";
    private static final List<Pattern> FORMS = List.of(
            Pattern.compile(DAY + ", (?<day>\\d\\d) " + MONTH + " (?<year>\\d{4}) " + TIME + " GMT"),
            Pattern.compile(LONG_DAY + ", (?<day>\\d\\d)-" + MONTH + "-(?<year>\\d\\d) " + TIME + " GMT"),
            Pattern.compile(DAY + " " + MONTH + " (?<day>[ \\d]\\d) " + TIME + " (?<year>\\d{4})"));

    private HttpDates() {}

    /** Null if it is none. */
    static @Nullable Instant parse(String text) {
        for (Pattern form : FORMS) {
            Matcher matcher = form.matcher(text);
            if (matcher.matches()) {
                return instant(matcher);
            }
        }
        return null;
    }

    private static @Nullable Instant instant(Matcher matcher) {
        int year = Integer.parseInt(matcher.group("year"));
        if (matcher.group("year").length() == 2) {
            // the year with these digits that is least far from being more than 50 years ahead
            int latest = Instant.now().atOffset(ZoneOffset.UTC).getYear() + 50;
            year = latest - Math.floorMod(latest - year, 100);
        }
        try {
            return LocalDate.of(
                            year,
                            MONTHS.indexOf(matcher.group("month")) + 1,
                            Integer.parseInt(matcher.group("day").strip()))
                    .atStartOfDay(ZoneOffset.UTC)
                    .toInstant()
                    .plusSeconds(3600L * Integer.parseInt(matcher.group("hour"))
                            + 60L * Integer.parseInt(matcher.group("minute"))
                            + Integer.parseInt(matcher.group("second")));
        } catch (DateTimeException e) {
            return null;
        }
    }
}
