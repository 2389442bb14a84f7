package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.anteroom.archive.bagit.BagName.Form;
import org.jspecify.annotations.Nullable;

/** Looks at bags on the disk. Links are followed as long as what they lead to lies in the archive's folder. */
final class Bags {
    /** The lookup, in the profile from 0.3 on and before. */
    static final List<String> LOOKUPS = List.of("multibag/file-lookup.tsv", "multibag/group-directory.txt");

    /** The tag files that are read. */
    static final List<String> TAG_FILES = Stream.of(
                    Stream.of(Declaration.NAME),
                    Arrays.stream(Algorithm.values()).map(Algorithm::manifest),
                    LOOKUPS.stream())
            .flatMap(names -> names)
            .toList();

    private final Catalogs catalogs;
    private final Disk disk;

    Bags(Catalogs catalogs, Disk disk) {
        this.catalogs = catalogs;
        this.disk = disk;
    }

    /** A bag in the first form in which it is there now. */
    Optional<Bag> look(Catalog catalog, String name) throws IOException {
        for (BagName form : catalog.named(name)) {
            Optional<Bag> bag = look(form);
            if (bag.isPresent()) {
                return bag;
            }
        }
        return Optional.empty();
    }

    private Optional<Bag> look(BagName name) throws IOException {
        Path root = catalogs.folder();
        try {
            Path path = disk.real(root.resolve(name.fileName()));
            if (!path.startsWith(root)) {
                return Optional.empty();
            }
            FileState state = disk.state(path);
            if (name.form() == Form.FOLDER ? !state.isFolder() : !state.isFile()) {
                return Optional.empty();
            }
            if (name.form() != Form.FOLDER) {
                return Optional.of(new Bag(name, path, path + "\n" + state.identity()));
            }
            return folder(name, path);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Optional<Bag> folder(BagName name, Path path) throws IOException {
        StringBuilder identity = new StringBuilder(path.toString());
        for (String file : TAG_FILES) {
            FileState state = stateOrNull(path.resolve(file));
            if (state == null && file.equals(Declaration.NAME)) {
                return Optional.empty();
            }
            identity.append('\n').append(state == null ? "-" : state.identity());
        }
        return Optional.of(new Bag(name, path, identity.toString()));
    }

    private @Nullable FileState stateOrNull(Path path) throws IOException {
        try {
            FileState state = disk.state(path);
            return state.isFile() ? state : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Whether it is still the same, with the same bytes. */
    boolean isStill(Bag bag) throws IOException {
        return look(bag.name()).map(bag::equals).orElse(false);
    }
}
