package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The log of {@code strace -f -y}, with what strace had to break in two put together again. */
final class SystemCalls {
    private static final Pattern WHOLE = Pattern.compile("(\\d+) +(\\w+)\\((.*)\\) += (-?\\d+).*");
    private static final Pattern BEGIN = Pattern.compile("(\\d+) +(\\w+)\\((.*) <unfinished \\.\\.\\.>");
    private static final Pattern END = Pattern.compile("(\\d+) +<\\.\\.\\. \\w+ resumed>(.*)\\) += (-?\\d+).*");

    private SystemCalls() {}

    /**
     * A call that succeeded.
     *
     * @param name of the system call
     * @param text the arguments
     * @param result what it returned
     * @param begins the line on which it begins; what ends on an earlier line was over before
     * @param ends the line on which it ends
     */
    record Call(String name, String text, long result, int begins, int ends) {
        boolean isSync() {
            return name.equals("fsync") || name.equals("fdatasync");
        }

        boolean isWrite() {
            return name.equals("write") || name.equals("pwrite64");
        }

        boolean isRename() {
            return name.startsWith("rename");
        }

        /** Whether its first argument is a descriptor of that file. */
        boolean isOn(String path) {
            return text.matches("(?s)\\d+<" + Pattern.quote(path) + ">.*");
        }

        /** The first argument that is a quoted path. */
        String firstPath() {
            int quote = text.indexOf('"');
            return text.substring(quote + 1, text.indexOf('"', quote + 1));
        }
    }

    static List<Call> parse(List<String> lines) {
        List<Call> calls = new ArrayList<>();
        Map<String, Call> unfinished = new HashMap<>();
        for (int line = 0; line < lines.size(); line++) {
            Matcher begin = BEGIN.matcher(lines.get(line));
            Matcher end = END.matcher(lines.get(line));
            Matcher whole = WHOLE.matcher(lines.get(line));
            if (begin.matches()) {
                unfinished.put(begin.group(1), new Call(begin.group(2), begin.group(3), 0, line, line));
            } else if (end.matches()) {
                Call begun = unfinished.remove(end.group(1));
                if (begun != null) {
                    add(
                            calls,
                            new Call(
                                    begun.name(),
                                    begun.text() + end.group(2),
                                    Long.parseLong(end.group(3)),
                                    begun.begins(),
                                    line));
                }
            } else if (whole.matches()) {
                add(calls, new Call(whole.group(2), whole.group(3), Long.parseLong(whole.group(4)), line, line));
            }
        }
        return calls;
    }

    private static void add(List<Call> calls, Call call) {
        if (call.result() >= 0) {
            calls.add(call);
        }
    }

    static List<Call> all(List<Call> calls, Predicate<Call> wanted) {
        List<Call> found = calls.stream().filter(wanted).toList();
        assertThat(found).isNotEmpty();
        return found;
    }

    static Call only(List<Call> calls, Predicate<Call> wanted) {
        List<Call> found = all(calls, wanted);
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}
