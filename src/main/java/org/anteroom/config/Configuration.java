package org.anteroom.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.naming.NamingException;

/**
 * The configuration of an instance: one properties file, and system properties over it.
 *
 * <p>The file is the one that {@code java:comp/env/anteroom/config} names, else {@code
 * ${catalina.base}/conf/anteroom.properties}; without either, the defaults hold. A system property {@code anteroom.KEY}
 * goes before the file, and the file before the default. {@code docs/configuration.md} says what the keys mean.
 */
public final class Configuration {

    /** What precedes a key in the name of a system property. */
    static final String PREFIX = "anteroom.";

    private static final String FILE_ENTRY = "anteroom/config";

    private final Surroundings surroundings;
    private final List<String> errors = new ArrayList<>();

    private Configuration(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /**
     * Reads and checks everything.
     *
     * @throws ConfigurationException naming every error at once
     */
    public static Settings load(Surroundings surroundings) throws ConfigurationException {
        return new Configuration(surroundings).load();
    }

    private Settings load() throws ConfigurationException {
        Optional<Path> named = namedFile();
        stopOnErrors("entry java:comp/env/" + FILE_ENTRY);

        Path file = named.orElseGet(() -> surroundings.base().resolve("conf").resolve("anteroom.properties"));
        Optional<byte[]> bytes = read(file, named.isPresent());
        String source = "file " + file;
        stopOnErrors(source);

        Map<String, Entry> entries = new LinkedHashMap<>();
        if (bytes.isPresent()) {
            entries.putAll(ConfigurationFile.parse(bytes.get(), errors));
            if (entries.isEmpty()) {
                // nothing could be read of it: what is missing then is no error of its own
                stopOnErrors(source);
            }
        } else {
            source = "no file " + file + ", system properties only";
        }
        entries.putAll(systemProperties());

        Values values = new Values(entries, surroundings.expansion(), errors);
        List<String> volumes = volumes(entries, values);
        rejectUnknown(entries, values, volumes);
        Settings settings = new SettingsReader(values, surroundings, volumes).read();
        stopOnErrors(source);
        return settings;
    }

    private void stopOnErrors(String source) throws ConfigurationException {
        if (!errors.isEmpty()) {
            throw new ConfigurationException(source, errors);
        }
    }

    private Optional<Path> namedFile() {
        String shown = "java:comp/env/" + FILE_ENTRY;
        try {
            Optional<Object> found = surroundings.naming().find(FILE_ENTRY);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            if (!(found.get() instanceof String text)) {
                errors.add(shown + ": not a java.lang.String; correct its type in the context descriptor");
                return Optional.empty();
            }
            String expanded = surroundings.expansion().expand(text).strip();
            return expanded.isEmpty()
                    ? Optional.empty()
                    : Optional.of(surroundings.base().resolve(expanded).normalize());
        } catch (NamingException e) {
            errors.add(
                    shown + ": cannot be looked up (" + Causes.shortly(e) + "); correct it in the context descriptor");
        } catch (BadValueException | InvalidPathException e) {
            errors.add(shown + ": " + e.getMessage());
        }
        return Optional.empty();
    }

    private Optional<byte[]> read(Path file, boolean named) {
        try {
            return Optional.of(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            if (named) {
                errors.add(
                        "java:comp/env/" + FILE_ENTRY
                                + " names a file that does not exist; create it, or correct the entry in the context descriptor");
            }
        } catch (IOException e) {
            errors.add("the file cannot be read (" + Causes.shortly(e)
                    + "); let the user that runs the container read it");
        }
        return Optional.empty();
    }

    /** Those that are keys or in the groups of keys; others may serve the files of the container. */
    private Map<String, Entry> systemProperties() {
        Map<String, Entry> entries = new LinkedHashMap<>();
        surroundings.properties().keySet().stream()
                .filter(name -> name.startsWith(PREFIX))
                .sorted()
                .forEach(name -> {
                    String key = name.substring(PREFIX.length());
                    if (Keys.known(key) || Keys.inGroup(key)) {
                        entries.put(
                                key,
                                Entry.systemProperty(
                                        key,
                                        surroundings
                                                .properties()
                                                .getOrDefault(name, "")
                                                .strip()));
                    }
                });
        return entries;
    }

    /** The volumes that are listed; if the list is wrong, those that have keys, so that these are checked too. */
    private static List<String> volumes(Map<String, Entry> entries, Values values) {
        List<String> listed = values.get(Keys.VOLUMES);
        return values.isWrong(Keys.VOLUMES.name())
                ? entries.keySet().stream()
                        .filter(Keys::known)
                        .flatMap(key -> Keys.volumeIn(key).stream())
                        .distinct()
                        .toList()
                : listed;
    }

    private static void rejectUnknown(Map<String, Entry> entries, Values values, List<String> volumes) {
        for (Entry entry : entries.values()) {
            Optional<String> volume = Keys.volumeIn(entry.key());
            if (!Keys.known(entry.key())) {
                values.reject(
                        entry.key(),
                        "there is no such key; "
                                + Keys.suggest(entry.key(), volumes)
                                        .map(key -> "did you mean " + key + "?")
                                        .orElse("remove it, the documentation lists all keys"));
            } else if (volume.isPresent() && !volumes.contains(volume.get())) {
                values.reject(entry.key(), unlisted(volume.get(), volumes));
            }
        }
    }

    private static String unlisted(String volume, List<String> volumes) {
        return "the key volumes does not name a volume " + volume + "; "
                + Spelling.closest(volume, volumes)
                        .map(name -> "did you mean " + name + "?")
                        .orElse("add it there, or remove this key");
    }
}
