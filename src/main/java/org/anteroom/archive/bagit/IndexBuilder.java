package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.anteroom.archive.bagit.Member.Method;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;

/**
 * One indexing of a bag: what its files, manifests and lookup say of each path, brought together by sorting.
 *
 * <p>The folder in which the bag lies inside of its zip or tar file is known only when all of that has gone by; until then
 * paths have it before them.
 */
final class IndexBuilder implements MemberSink {
    /** In a zip or tar file of one bag there is one of each; a hostile one is given up. */
    private static final int MOST_TAG_FILES = 1000;

    private final Bag bag;
    private final Disk disk;
    private final Sorter sorter;
    private final Map<String, Member> tagFiles = new HashMap<>();
    private long count;

    IndexBuilder(Bag bag, Disk disk, Sorter sorter) {
        this.bag = bag;
        this.disk = disk;
        this.sorter = sorter;
    }

    /** Writes the whole index. */
    void build(IndexWriter out) throws IOException {
        String base = "";
        if (!bag.isFolder()) {
            try (ByteSource file = disk.open(bag.path())) {
                if (bag.name().form() == BagName.Form.ZIP) {
                    ZipScanner.scan(file, this);
                } else {
                    TarScanner.scan(file, this);
                }
            }
            base = base();
        }
        Declaration declaration = declaration(base + Declaration.NAME);
        for (Algorithm algorithm : Algorithm.values()) {
            addManifest(base, algorithm, declaration);
        }
        boolean lookup = false;
        for (String name : Bags.LOOKUPS) {
            lookup = lookup || addLookup(base, name, declaration);
        }
        EntryMaker maker = new EntryMaker(base + Lines.PAYLOAD, bag, out);
        sorter.drain(maker);
        maker.end();
        out.finish(bag.identity(), lookup);
    }

    // ---- what lies in a zip or tar file

    @Override
    public void take(String name, Member member) throws IOException {
        String path = relative(name);
        if (isTagFile(path)) {
            if (tagFiles.size() == MOST_TAG_FILES) {
                throw Damage.bag("many bags in one file");
            }
            Member other = tagFiles.put(path, member);
            if (other != null && member.method() != Method.PLAIN) {
                tagFiles.put(path, member.ambiguous());
            }
        }
        ByteBuffer record = ByteBuffer.allocate(2 + Long.BYTES + Member.LONGEST);
        record.put(EntryMaker.MEMBER).putLong(count++).put(EntryMaker.FILE);
        member.put(record);
        addPayload(path, record);
    }

    @Override
    public void takeLink(String name, String target) throws IOException {
        byte[] text = relative(target).getBytes(UTF_8);
        if (text.length <= Entry.LONGEST_TEXT) {
            ByteBuffer record = ByteBuffer.allocate(2 + Long.BYTES + text.length);
            record.put(EntryMaker.MEMBER).putLong(count++).put(EntryMaker.LINK).put(text);
            addPayload(relative(name), record);
        }
    }

    private void addPayload(String path, ByteBuffer record) throws IOException {
        int start = path.startsWith(Lines.PAYLOAD) ? 0 : path.indexOf('/') + 1;
        // in a folder of that name the bag's own payload lies one level below
        int payload = path.startsWith(Lines.PAYLOAD, start) ? start + Lines.PAYLOAD.length() : -1;
        if (payload > 0 && isAskable(path.substring(payload))) {
            add(path, record);
        }
    }

    private static String relative(String name) {
        String rest = name;
        while (rest.startsWith("./")) {
            rest = rest.substring(2);
        }
        return rest;
    }

    private static boolean isTagFile(String path) {
        int top = path.indexOf('/') + 1;
        return Bags.TAG_FILES.contains(path) || Bags.TAG_FILES.contains(path.substring(top));
    }

    /** Whether there can be a request for it. */
    private static boolean isAskable(String path) {
        try {
            FileKey.of("-", path);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The folder that the bag lies in, with a slash at its end; the empty string if it lies in none. */
    private String base() throws IOException {
        if (tagFiles.containsKey(Declaration.NAME)) {
            return "";
        }
        Set<String> found = new LinkedHashSet<>();
        for (String path : tagFiles.keySet()) {
            if (path.endsWith('/' + Declaration.NAME)) {
                found.add(path.substring(0, path.length() - Declaration.NAME.length()));
            }
        }
        String usual = bag.name().bag() + '/';
        if (found.contains(usual)) {
            return usual;
        }
        if (found.size() != 1) {
            throw Damage.bag(found.isEmpty() ? "no " + Declaration.NAME + " in it" : "several bags in one file");
        }
        return found.iterator().next();
    }

    // ---- tag files

    private @Nullable InputStream tagFile(String path) throws IOException {
        if (bag.isFolder()) {
            Path file = bag.path().resolve(path);
            FileState state;
            try {
                state = disk.state(file);
            } catch (NoSuchFileException e) {
                return null;
            }
            if (!state.isFile()) {
                return null;
            }
            ByteSource source = disk.open(file);
            return Contents.stream(new PlainContent(source, 0, state.size(), true), state.size());
        }
        Member member = tagFiles.get(path);
        if (member == null) {
            return null;
        }
        ByteSource source = disk.open(bag.path());
        try {
            return Contents.stream(Contents.open(source, member, 0), member.size());
        } catch (IOException | RuntimeException e) {
            source.close();
            throw e;
        }
    }

    private Declaration declaration(String path) throws IOException {
        try (InputStream stream = tagFile(path)) {
            if (stream == null) {
                throw Damage.bag("no " + path);
            }
            return Declaration.read(stream);
        }
    }

    private void addManifest(String base, Algorithm algorithm, Declaration declaration) throws IOException {
        try (InputStream stream = tagFile(base + algorithm.manifest())) {
            if (stream == null) {
                return;
            }
            TagLines lines = new TagLines(stream, declaration.encoding());
            for (String line = lines.next(); line != null; line = lines.next()) {
                var checksum = Lines.checksum(line);
                if (checksum.isPresent()) {
                    addDigest(base, algorithm, checksum.get(), declaration.beforeRfc());
                }
            }
        }
    }

    /** What a path in a manifest may mean, the best first; which it is shows when there is a file of that name. */
    private void addDigest(String base, Algorithm algorithm, Lines.Checksum checksum, boolean beforeRfc)
            throws IOException {
        byte[] digest = digest(checksum.digest(), algorithm);
        String raw = checksum.path();
        String plain = Lines.unescape(raw);
        Set<String> meanings = new LinkedHashSet<>();
        meanings.add(beforeRfc ? raw : plain);
        meanings.add(beforeRfc ? plain : raw);
        for (String meaning : new String[] {raw, plain}) {
            // other systems write the same letters in other code points
            meanings.add(Normalizer.normalize(meaning, Normalizer.Form.NFC));
            meanings.add(Normalizer.normalize(meaning, Normalizer.Form.NFD));
        }
        byte rank = 0;
        for (String meaning : meanings) {
            ByteBuffer record = ByteBuffer.allocate(3 + digest.length);
            record.put(EntryMaker.DIGEST).put(algorithm.code()).put(rank++).put(digest);
            if (isAskable(meaning)) {
                add(base + meaning, record);
            }
        }
    }

    /** The bytes of a digest; none if it is not one. */
    private static byte[] digest(String hex, Algorithm algorithm) {
        try {
            byte[] digest = HexFormat.of().parseHex(hex);
            return digest.length == algorithm.length() ? digest : new byte[0];
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private boolean addLookup(String base, String name, Declaration declaration) throws IOException {
        try (InputStream stream = tagFile(base + name)) {
            if (stream == null) {
                return false;
            }
            TagLines lines = new TagLines(stream, declaration.encoding());
            for (String line = lines.next(); line != null; line = lines.next()) {
                var place = Lines.place(line);
                if (place.isPresent()) {
                    addPlace(base, place.get());
                }
            }
            return true;
        }
    }

    private void addPlace(String base, Lines.Place place) throws IOException {
        byte[] text = place.bag().getBytes(UTF_8);
        if (text.length <= Entry.LONGEST_TEXT && isAskable(place.path())) {
            ByteBuffer record = ByteBuffer.allocate(1 + Long.BYTES + text.length);
            record.put(EntryMaker.PLACE).putLong(count++).put(text);
            add(base + place.path(), record);
        }
    }

    private void add(String path, ByteBuffer record) throws IOException {
        byte[] key = path.getBytes(UTF_8);
        if (key.length <= Entry.LONGEST_TEXT) {
            sorter.add(key, record.flip());
        }
    }
}
