package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.benmanes.caffeine.cache.Cache;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The index of a bag in a file: found in it by halving, a block at a time, those that were read lately from memory.
 *
 * <p>The file never changes. It may be gone or damaged at any time, which is a {@link LostIndexException}.
 */
final class BagIndex {
    private final Path path;
    private final IndexHeader header;
    private final Cache<Place, byte[]> memory;

    /** A block of some index. */
    record Place(Path index, int block) {}

    private BagIndex(Path path, IndexHeader header, Cache<Place, byte[]> memory) {
        this.path = path;
        this.header = header;
        this.memory = memory;
    }

    /** The index in a file, if that is whole and that of a bag. */
    static BagIndex load(Path path, String bag, Cache<Place, byte[]> memory) throws LostIndexException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer block = ByteBuffer.allocate(Block.SIZE);
            readFully(file, block, 0);
            IndexHeader header = IndexHeader.decode(block.flip())
                    .filter(found -> found.bag().equals(bag))
                    .orElse(null);
            if (header == null || file.size() != (header.blocks() + 1L) * Block.SIZE) {
                throw new LostIndexException("not whole, or of another bag: " + path, null);
            }
            return new BagIndex(path, header, memory);
        } catch (LostIndexException e) {
            throw e;
        } catch (IOException e) {
            throw new LostIndexException(path.toString(), e);
        }
    }

    private static void readFully(FileChannel file, ByteBuffer target, long position) throws IOException {
        while (target.hasRemaining()) {
            if (file.read(target, position + target.position()) < 0) {
                throw new NoSuchFileException("the file ends early");
            }
        }
    }

    Path path() {
        return path;
    }

    /** Whether the bag has a lookup, so that what it says are the files of the dataset. */
    boolean hasLookup() {
        return header.lookup();
    }

    long entries() {
        return header.entries();
    }

    /** A reader, which opens the file only for what is not in memory. */
    Reader reader() {
        return new Reader();
    }

    /** Reads for one question. */
    final class Reader implements Closeable {
        private @Nullable FileChannel file;

        boolean hasLookup() {
            return header.lookup();
        }

        /** What the index says of a path; null if that is nothing. */
        @Nullable
        Entry find(String text) throws LostIndexException {
            Cursor cursor = from(text);
            return cursor.next() && cursor.path().equals(text) ? cursor.entry() : null;
        }

        /** The entries from a path on. */
        Cursor from(String text) throws LostIndexException {
            Cursor cursor = new Cursor(this);
            cursor.seek(text);
            return cursor;
        }

        int blocks() {
            return header.blocks();
        }

        byte[] block(int number) throws LostIndexException {
            Place place = new Place(path, number);
            byte[] known = memory.getIfPresent(place);
            if (known != null) {
                return known;
            }
            byte[] block = new byte[Block.SIZE];
            try {
                FileChannel open = file;
                if (open == null) {
                    open = FileChannel.open(path, StandardOpenOption.READ);
                    file = open;
                }
                readFully(open, ByteBuffer.wrap(block), (number + 1L) * Block.SIZE);
            } catch (IOException e) {
                throw new LostIndexException(path.toString(), e);
            }
            if (!Block.isSealed(ByteBuffer.wrap(block))) {
                throw new LostIndexException("damaged: " + path, null);
            }
            memory.put(place, block);
            return block;
        }

        /** The last block that begins with nothing after the key; the first one if all do. */
        private int blockOf(byte[] key) throws LostIndexException {
            int low = 0;
            int high = header.blocks() - 1;
            while (low < high) {
                int middle = (low + high + 1) >>> 1;
                if (compare(block(middle), Short.BYTES, key) <= 0) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return low;
        }

        @Override
        public void close() throws IOException {
            if (file != null) {
                file.close();
            }
        }
    }

    /** Compares the key of the entry that begins there. */
    private static int compare(byte[] block, int at, byte[] key) {
        int start = at + 2 * Short.BYTES;
        return Arrays.compareUnsigned(block, start, start + shortAt(block, at), key, 0, key.length);
    }

    private static int shortAt(byte[] block, int at) {
        return block[at] << 8 | (block[at + 1] & 0xFF);
    }

    /** Goes through the entries in the order of their paths. */
    static final class Cursor {
        private final Reader reader;
        private byte[] block = new byte[0];
        private int number = -1;
        private int left;
        private int at;
        private int next;

        private Cursor(Reader reader) {
            this.reader = reader;
        }

        /** Goes to before the first entry whose path is this one or comes after it. */
        void seek(String text) throws LostIndexException {
            byte[] key = text.getBytes(UTF_8);
            number = reader.blockOf(key) - 1;
            left = 0;
            while (peek() && compare(block, next, key) < 0) {
                advance();
            }
        }

        /** Goes to the next entry; whether there is one. */
        boolean next() throws LostIndexException {
            if (!peek()) {
                return false;
            }
            advance();
            return true;
        }

        private boolean peek() throws LostIndexException {
            while (left == 0) {
                if (number + 1 >= reader.blocks()) {
                    return false;
                }
                number++;
                block = reader.block(number);
                left = shortAt(block, 0);
                next = Short.BYTES;
            }
            return true;
        }

        private void advance() {
            at = next;
            next = at + 2 * Short.BYTES + shortAt(block, at) + shortAt(block, at + Short.BYTES);
            left--;
        }

        /** The path of the entry, below {@code data/}. */
        String path() {
            return new String(block, at + 2 * Short.BYTES, shortAt(block, at), UTF_8);
        }

        Entry entry() {
            int start = at + 2 * Short.BYTES + shortAt(block, at);
            return Entry.decode(ByteBuffer.wrap(block, start, shortAt(block, at + Short.BYTES)));
        }
    }
}
