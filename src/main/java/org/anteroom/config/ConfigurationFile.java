package org.anteroom.config;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The text of a properties file, taken apart into its entries.
 *
 * <p>The format is that of {@link Properties}, in UTF-8. The text is cut into logical lines here, because {@code
 * Properties} tells neither the line of an entry nor that a key came twice; each logical line is then read by it.
 */
final class ConfigurationFile {

    private final List<String> errors;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<String, Integer> lines = new LinkedHashMap<>();

    private ConfigurationFile(List<String> errors) {
        this.errors = errors;
    }

    /**
     * The entries by key.
     *
     * @param errors takes what is wrong
     */
    static Map<String, Entry> parse(byte[] bytes, List<String> errors) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer characters = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), characters, true);
        characters.flip();
        if (result.isError()) {
            int line = 1 + (int) characters.chars().filter(c -> c == '\n').count();
            errors.add("line " + line + ": not UTF-8; save the file in that encoding");
            return Map.of();
        }
        String text = characters.toString();
        ConfigurationFile file = new ConfigurationFile(errors);
        file.readLines(text.startsWith("\uFEFF") ? text.substring(1) : text);
        return file.entries;
    }

    private void readLines(String text) {
        String[] natural = text.split("\r\n|\r|\n", -1);
        int next = 0;
        while (next < natural.length) {
            int first = next;
            String line = natural[next++];
            if (isComment(line)) {
                continue;
            }
            StringBuilder logical = new StringBuilder(line);
            while (isContinued(line) && next < natural.length) {
                line = natural[next++];
                logical.append('\n').append(line);
            }
            read(first + 1, logical.toString());
        }
    }

    private static boolean isComment(String line) {
        String stripped = line.stripLeading();
        return stripped.isEmpty() || stripped.startsWith("#") || stripped.startsWith("!");
    }

    private static boolean isContinued(String line) {
        int backslashes = 0;
        while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    private void read(int line, String logical) {
        Properties one = new Properties();
        try {
            one.load(new StringReader(logical));
        } catch (IOException | IllegalArgumentException e) {
            errors.add("line " + line + ": not an entry (" + e.getMessage()
                    + "); a backslash before u needs four hexadecimal digits after it");
            return;
        }
        for (String key : one.stringPropertyNames()) {
            if (key.isEmpty()) {
                errors.add("line " + line + ": no key; write KEY = VALUE");
                continue;
            }
            Integer before = lines.putIfAbsent(key, line);
            Entry entry = Entry.inFile(line, key, one.getProperty(key, "").strip());
            if (before == null) {
                entries.put(key, entry);
            } else {
                errors.add(entry.shown() + ": the key stands in line " + before + " already; remove one of them");
            }
        }
    }
}
