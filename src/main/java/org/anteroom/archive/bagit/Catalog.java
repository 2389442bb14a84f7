package org.anteroom.archive.bagit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names of what lies in the archive's folder at some time, some 150 bytes of memory for each; parsed when they are
 * asked for.
 */
final class Catalog {
    private final Named[] names;

    /** A name, and where the dataset in it ends. */
    private record Named(String name, int datasetLength) implements Comparable<Named> {
        @Override
        public int compareTo(Named other) {
            int order = compareDataset(other.name, other.datasetLength);
            return order == 0 ? name.compareTo(other.name) : order;
        }

        int compareDataset(String text, int length) {
            int common = Math.min(datasetLength, length);
            for (int i = 0; i < common; i++) {
                int order = Character.compare(name.charAt(i), text.charAt(i));
                if (order != 0) {
                    return order;
                }
            }
            return Integer.compare(datasetLength, length);
        }
    }

    /** A catalog of the names that may be those of bags. */
    Catalog(Iterable<String> all) {
        List<Named> named = new ArrayList<>();
        for (String name : all) {
            BagName.parse(name)
                    .ifPresent(bag -> named.add(new Named(name, bag.dataset().length())));
        }
        this.names = named.toArray(Named[]::new);
        Arrays.sort(names);
    }

    /** The bags of a dataset, older ones first. */
    List<BagName> of(String encodedDataset) {
        int low = 0;
        int high = names.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (names[middle].compareDataset(encodedDataset, encodedDataset.length()) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        List<BagName> found = new ArrayList<>();
        for (int i = low; i < names.length; i++) {
            if (names[i].compareDataset(encodedDataset, encodedDataset.length()) != 0) {
                break;
            }
            found.add(BagName.parse(names[i].name).orElseThrow());
        }
        found.sort(BagName.BY_AGE);
        return found;
    }

    /** Whether the dataset is a sequence of bags; a single bag has no version, not even a first one. */
    boolean hasVersions(String encodedDataset) {
        return of(encodedDataset).stream().anyMatch(BagName::isOfSequence);
    }

    /**
     * The bag that has a version's lookup: of all bags that name this version, or of all if none is asked for, the last of
     * the highest version. None if a version is asked for and the dataset has none: its files would have two names.
     */
    Optional<BagName> head(String encodedDataset, @Nullable String version) {
        Optional<Version> wanted = Optional.ofNullable(version).flatMap(Version::parse);
        if (version != null && (wanted.isEmpty() || !hasVersions(encodedDataset))) {
            return Optional.empty();
        }
        return of(encodedDataset).stream()
                .filter(bag -> wanted.isEmpty() || bag.versionOrFirst().equals(wanted.get()))
                .reduce((older, newer) -> newer);
    }

    /** A bag in all forms that there are of it, the one to be read first. */
    List<BagName> named(String bag) {
        List<BagName> forms = new ArrayList<>();
        BagName.parse(bag).ifPresent(name -> {
            forms.addAll(of(name.dataset()));
            forms.removeIf(other -> !other.bag().equals(name.bag()));
        });
        Collections.reverse(forms);
        return forms;
    }

    int size() {
        return names.length;
    }
}
