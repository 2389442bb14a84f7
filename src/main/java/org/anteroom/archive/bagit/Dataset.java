package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.FolderPage;
import org.anteroom.archive.LeastEntries;
import org.jspecify.annotations.Nullable;

/** A version of a dataset, for one question: its head bag, and those that this one names. */
final class Dataset {
    /** Hard links of hard links are no more than a few. */
    private static final int MOST_LINKS = 8;

    private static final Entry UNKNOWN = new Entry(null, null, Map.of(), false, null);

    private final Catalog catalog;
    private final Bags bags;
    private final Indexes indexes;
    private final Disk disk;
    private final Path root;
    private final Bag head;
    private final Map<String, Bag> looked = new HashMap<>();

    /**
     * A version of a dataset.
     *
     * @param root the archive's folder, without links
     */
    Dataset(Catalog catalog, Bags bags, Indexes indexes, Disk disk, Path root, Bag head) {
        this.catalog = catalog;
        this.bags = bags;
        this.indexes = indexes;
        this.disk = disk;
        this.root = root;
        this.head = head;
    }

    /** The file at a path below {@code data/}. */
    Located locate(String path) throws IOException {
        String bag = indexes.ask(
                        head,
                        index -> index.hasLookup()
                                ? bagOf(index, path)
                                : Optional.of(head.name().bag()))
                .orElseThrow(Damage::noFile);
        Located located = locateIn(bag, path);
        if (located == null) {
            throw missing(bag, path);
        }
        return located;
    }

    private IOException missing(String bag, String path) throws IOException {
        boolean named = indexes.ask(head, BagIndex.Reader::hasLookup);
        return named
                ? Damage.bag("the lookup of " + head.name().bag() + " says that " + bag + " has " + path)
                : Damage.noFile();
    }

    private static Optional<String> bagOf(BagIndex.Reader index, String path) throws IOException {
        for (String spelling : new LinkedHashSet<>(List.of(path, Lines.escape(path)))) {
            Entry entry = index.find(spelling);
            if (entry != null && entry.bag() != null) {
                return Optional.of(entry.bag());
            }
        }
        return Optional.empty();
    }

    /** A file in the bag of that name; null if that has none. */
    private @Nullable Located locateIn(String bagName, String path) throws IOException {
        Bag bag = bag(bagName);
        for (String spelling : spellings(path)) {
            Located located = bag.isFolder() ? inFolder(bag, spelling) : inFile(bag, spelling);
            if (located != null) {
                return located;
            }
        }
        return null;
    }

    private Bag bag(String name) throws IOException {
        if (name.equals(head.name().bag())) {
            return head;
        }
        Bag seen = looked.get(name);
        if (seen == null) {
            seen = bags.look(catalog, name)
                    .orElseThrow(() -> Damage.bag(
                            "the lookup of " + head.name().bag() + " names " + name + ", which is not there"));
            looked.put(name, seen);
        }
        return seen;
    }

    /** A lookup may have escaped the path, or have written the same letters in other code points, as the bag's files have. */
    private static Set<String> spellings(String path) {
        Set<String> all = new LinkedHashSet<>();
        all.add(path);
        all.add(Lines.unescape(path));
        all.add(Normalizer.normalize(path, Normalizer.Form.NFC));
        all.add(Normalizer.normalize(path, Normalizer.Form.NFD));
        return all;
    }

    private @Nullable Located inFolder(Bag bag, String path) throws IOException {
        BagFolder.Found found = new BagFolder(disk, root, bag).find(path);
        return found == null || !found.state().isFile() ? null : inFolder(bag, path, found);
    }

    private Located inFolder(Bag bag, String path, BagFolder.Found found) throws IOException {
        Entry entry = indexes.ask(bag, index -> {
            Entry known = index.find(path);
            return known == null ? UNKNOWN : known;
        });
        FileState state = found.state();
        return checked(
                Located.of(bag, found.path(), state.identity(), null, state.size(), state.modified(), entry), entry);
    }

    private @Nullable Located inFile(Bag bag, String path) throws IOException {
        return indexes.ask(bag, index -> {
                    Entry entry = index.find(path);
                    return Optional.ofNullable(entry == null ? null : inFile(bag, entry, index));
                })
                .orElse(null);
    }

    private static @Nullable Located inFile(Bag bag, Entry entry, BagIndex.Reader index) throws IOException {
        Entry at = entry;
        for (int i = 0; i < MOST_LINKS && at != null && at.link() != null; i++) {
            at = index.find(at.link());
        }
        Member member = at == null ? null : at.member();
        if (member == null) {
            return null;
        }
        if (member.method() == Member.Method.AMBIGUOUS
                || member.method() == Member.Method.UNREADABLE
                || member.isImpossible()) {
            throw Damage.bag("a file in " + bag.name().bag() + " cannot be read: " + member);
        }
        return checked(Located.of(bag, bag.path(), "", member, member.size(), member.modified(), entry), entry);
    }

    private static Located checked(Located located, Entry entry) throws IOException {
        if (entry.contradictory()) {
            throw Damage.bag("the manifests of " + located.bag().name().bag() + " contradict themselves");
        }
        return located;
    }

    // ---- folders

    /** What lies in a folder below {@code data/}, as the archive lists it. */
    FolderPage list(String folder, String after, int limit) throws IOException {
        boolean fromIndex = !head.isFolder() || indexes.ask(head, BagIndex.Reader::hasLookup);
        return fromIndex ? listIndex(folder, after, limit) : listFolder(folder, after, limit);
    }

    private FolderPage listFolder(String folder, String after, int limit) throws IOException {
        BagFolder payload = new BagFolder(disk, root, head);
        BagFolder.Found found = payload.find(folder);
        if (found == null && folder.isEmpty()) {
            return new FolderPage(List.of(), false);
        }
        if (found == null || !found.state().isFolder()) {
            throw Damage.noFolder();
        }
        if (limit == 0) {
            // one that is there and cannot be read is not told of as one that can
            disk.entries(found.path()).close();
            return new FolderPage(List.of(), false);
        }
        LeastEntries least = new LeastEntries(limit);
        payload.visit(found, name -> !isOutside(name, after, least.bound()), (name, entry) -> {
            if (entry.state().isFile() && isBetween(name, after, least.bound())) {
                String path = folder.isEmpty() ? name : folder + '/' + name;
                least.add(new ArchiveEntry(name, inFolder(head, path, entry).facts()));
            } else if (entry.state().isFolder() && isBetween(name + '/', after, least.bound())) {
                least.add(new ArchiveEntry(name, null));
            }
        });
        return least.page();
    }

    /** Whether neither a file nor a folder of that name can lie between the keys; rules most out by the name alone. */
    private static boolean isOutside(String name, String after, @Nullable String before) {
        return (before != null && ArchiveEntry.compareKeys(name, before) >= 0)
                // where one begins with the other, the slash of a folder decides
                || (ArchiveEntry.compareKeys(name, after) <= 0 && !after.startsWith(name));
    }

    private static boolean isBetween(String key, String after, @Nullable String before) {
        return ArchiveEntry.compareKeys(key, after) > 0
                && (before == null || ArchiveEntry.compareKeys(key, before) < 0);
    }

    private FolderPage listIndex(String folder, String after, int limit) throws IOException {
        String prefix = folder.isEmpty() ? "" : folder + '/';
        List<String> keys = indexes.ask(head, index -> keys(index, prefix, after, limit));
        List<ArchiveEntry> entries = new ArrayList<>();
        for (String key : keys.subList(0, Math.min(limit, keys.size()))) {
            entries.add(
                    key.endsWith("/")
                            ? new ArchiveEntry(key.substring(0, key.length() - 1), null)
                            : new ArchiveEntry(key, locate(prefix + key).facts()));
        }
        return new FolderPage(entries, keys.size() > limit && limit > 0);
    }

    /** The keys of the page and of one entry more; entries lie in the order of keys, as both go by the bytes. */
    private static List<String> keys(BagIndex.Reader index, String prefix, String after, int limit) throws IOException {
        if (limit == 0 || !after.isEmpty()) {
            requireFolder(index, prefix);
        }
        List<String> keys = new ArrayList<>();
        BagIndex.Cursor cursor = index.from(prefix + pastFolder(after));
        while (keys.size() <= limit
                && limit > 0
                && cursor.next()
                && cursor.path().startsWith(prefix)) {
            String rest = cursor.path().substring(prefix.length());
            if (rest.equals(after) || !isListed(index, cursor)) {
                continue;
            }
            int slash = rest.indexOf('/');
            String key = slash < 0 ? rest : rest.substring(0, slash + 1);
            keys.add(key);
            if (slash >= 0) {
                cursor.seek(prefix + pastFolder(key));
            }
        }
        if (keys.isEmpty() && after.isEmpty() && limit > 0 && !prefix.isEmpty()) {
            throw Damage.noFolder();
        }
        return keys;
    }

    private static void requireFolder(BagIndex.Reader index, String prefix) throws IOException {
        BagIndex.Cursor cursor = index.from(prefix);
        while (!prefix.isEmpty()) {
            if (!cursor.next() || !cursor.path().startsWith(prefix)) {
                throw Damage.noFolder();
            }
            if (isListed(index, cursor)) {
                return;
            }
        }
    }

    private static boolean isListed(BagIndex.Reader index, BagIndex.Cursor cursor) {
        Entry entry = cursor.entry();
        return index.hasLookup() ? entry.bag() != null : entry.member() != null || entry.link() != null;
    }

    /** What comes first after all that lies in a folder; the key itself if it is none. */
    private static String pastFolder(String key) {
        return key.endsWith("/") ? key.substring(0, key.length() - 1) + (char) ('/' + 1) : key;
    }
}
