package org.anteroom.archive.bagit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.FolderPage;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;

/**
 * The archive that is a folder of BagIt bags (RFC 8493), each a folder, a zip file or an uncompressed tar file: single ones,
 * {@code encode(dataset)}, and sequences of the Multibag profile, {@code encode(dataset)[.VERSION].mbagM_N-SEQ}.
 *
 * <p>The files of a dataset are those below {@code data/}: of a single bag, its own; of a sequence, those that the lookup of
 * the head bag names, in the bags that it names. The head bag of a version is the last one of those whose names tell that
 * version; a bag whose name tells none counts as version 1.
 *
 * <p>What manifests say is verified as a file is read from its start: the SHA-256 by who reads, other digests and the CRC-32
 * of zip files by the stream, which returns the last bytes only if they agree. {@code fetch.txt} is not read: what only that
 * or a manifest names is not found.
 */
public final class BagitArchive implements Archive {
    private static final int DEFLATED_KEPT = 10_000;

    private final Path root;
    private final Disk disk;
    private final Catalogs catalogs;
    private final Bags bags;
    private final Indexes indexes;
    /** Files that were found to be deflated; what is not known of one only costs time. */
    private final Cache<FileKey, Boolean> deflated = Caffeine.newBuilder()
            .maximumSize(DEFLATED_KEPT)
            .executor(Runnable::run)
            .build();

    /**
     * An archive at a folder that may be away; nothing is touched.
     *
     * @param root the folder of bags
     * @param clock to tell times of change that are settled from those that are not
     */
    public BagitArchive(Path root, BagitSettings settings, InstantSource clock, Ticker ticker) {
        this(root, settings, clock, ticker, new Disk());
    }

    /** The same on a disk that a test watches. */
    BagitArchive(Path root, BagitSettings settings, InstantSource clock, Ticker ticker, Disk disk) {
        this.root = root.toAbsolutePath().normalize();
        this.disk = disk;
        this.catalogs = new Catalogs(this.root, disk, clock);
        this.bags = new Bags(catalogs, disk);
        IndexFolder folder = new IndexFolder(settings.index(), settings.mostIndexBytes(), clock);
        this.indexes = new Indexes(folder, bags, disk, ticker);
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        return locate(key).facts();
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        if (offset < 0 || offset > expected.size()) {
            throw new IllegalArgumentException("offset " + offset + " of " + expected.size());
        }
        Located located = locate(key);
        if (!located.facts().sameContent(expected)) {
            throw Damage.changed();
        }
        ByteSource source = disk.open(located.file());
        try {
            // it may have been exchanged between the look and the opening
            if (!isStill(located)) {
                throw Damage.changed();
            }
            Member member = located.member();
            Content content = member == null
                    ? new PlainContent(source, offset, expected.size(), true)
                    : Contents.open(source, member, offset);
            return new CheckedStream(
                    content,
                    offset,
                    expected.size(),
                    new CheckedStream.Checks(
                            located.algorithmToVerify(),
                            located.digest(),
                            member == null ? Member.NO_CRC : member.crc(),
                            () -> isStill(located)));
        } catch (IOException | RuntimeException e) {
            source.close();
            throw e;
        }
    }

    /** Whether the bag is the same, with the same bytes; another one may have become the dataset's head. */
    private boolean isStill(Located located) throws IOException {
        try {
            return bags.isStill(located.bag())
                    && (located.member() != null
                            || disk.state(located.file()).identity().equals(located.identity()));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private Located locate(FileKey key) throws IOException {
        Located located = dataset(key.dataset(), key.version()).locate(key.path());
        Member member = located.member();
        if (member != null && member.method() == Member.Method.DEFLATED) {
            deflated.put(key, true);
        }
        return located;
    }

    @Override
    public boolean canSeek(FileKey key, FileFacts facts) {
        return deflated.getIfPresent(key) == null;
    }

    private Dataset dataset(String id, @Nullable String version) throws IOException {
        Catalog catalog = catalogs.current();
        BagName head = catalog.head(FileKey.encode(id), version).orElseThrow(Damage::noFile);
        Bag bag = bags.look(catalog, head.bag()).orElseThrow(Damage::noFile);
        return new Dataset(catalog, bags, indexes, disk, catalogs.folder(), bag);
    }

    @Override
    public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
        Dataset dataset;
        try {
            dataset = dataset(folder.dataset(), folder.version());
        } catch (FailureException e) {
            throw e.reason() == FailureReason.NOT_FOUND ? Damage.noFolder() : e;
        }
        return dataset.list(folder.path(), after, limit);
    }

    @Override
    public boolean verifies(FileFacts facts) {
        return Located.isVerifiedHere(facts);
    }

    @Override
    public boolean hasVersions() {
        return true;
    }

    @Override
    public String canonicalVersion(String text) {
        return Version.parse(text).map(Version::text).orElse(text);
    }

    @Override
    public Optional<String> newest(String dataset) throws IOException {
        Catalog catalog = catalogs.current();
        String encoded = FileKey.encode(dataset);
        BagName head = catalog.head(encoded, null).orElseThrow(Damage::noDataset);
        return catalog.hasVersions(encoded) ? Optional.of(head.versionOrFirst().text()) : Optional.empty();
    }

    @Override
    public void probe() throws IOException {
        try (DirectoryStream<Path> entries = disk.entries(root)) {
            if (!entries.iterator().hasNext()) {
                throw new FailureException(
                        FailureReason.ARCHIVE_FAILED, "The archive is empty; it may not be mounted.");
            }
        } catch (FailureException e) {
            throw e;
        } catch (DirectoryIteratorException | IOException e) {
            throw new FailureException(FailureReason.ARCHIVE_FAILED, "The archive is not there.", e);
        }
    }
}
