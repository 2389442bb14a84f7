package org.anteroom.archive.bagit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Opens what lies in zip and tar files. */
final class Contents {
    private static final int LOCAL_HEADER = 0x04034b50;
    private static final int LOCAL_HEADER_LENGTH = 30;

    private Contents() {}

    /**
     * The bytes of a file in a zip or tar file.
     *
     * @param file is closed with them
     * @param offset the position to begin at
     */
    static Content open(ByteSource file, Member member, long offset) throws IOException {
        if (member.isImpossible()) {
            throw Damage.bag("a file in it cannot have the size that is told");
        }
        switch (member.method()) {
            case PLAIN -> {
                return new PlainContent(file, member.offset() + offset, member.offset() + member.size(), false);
            }
            case STORED -> {
                long start = dataOf(file, member);
                return new PlainContent(file, start + offset, start + member.size(), false);
            }
            case DEFLATED -> {
                long start = dataOf(file, member);
                InflatedContent content = new InflatedContent(file, start, start + member.stored());
                try {
                    content.skip(offset);
                } catch (IOException | RuntimeException e) {
                    content.close();
                    throw e;
                }
                return content;
            }
            case UNREADABLE -> throw Damage.bag("a file in it is encrypted, sparse or compressed in an unknown way");
            case AMBIGUOUS -> throw Damage.bag("several files in it have one name, or several checksums one file");
        }
        throw new IllegalStateException("no such method");
    }

    /** Where the data begin, behind a header of its own, whose length alone is believed. */
    private static long dataOf(ByteSource file, Member member) throws IOException {
        long left = file.size() - member.offset() - LOCAL_HEADER_LENGTH;
        if (left < member.stored()) {
            throw Damage.bag("a file in it reaches over its end");
        }
        ByteBuffer header = ByteBuffer.allocate(LOCAL_HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        file.readFully(header, member.offset());
        if (header.getInt(0) != LOCAL_HEADER) {
            throw Damage.bag("no file where one is told of");
        }
        int names = (header.getShort(26) & 0xFFFF) + (header.getShort(28) & 0xFFFF);
        if (left - names < member.stored()) {
            throw Damage.bag("a file in it reaches over its end");
        }
        return member.offset() + LOCAL_HEADER_LENGTH + names;
    }

    /** All bytes of a file as a stream, which fails rather than ends if they are not what was told. */
    static InputStream stream(Content content, long size) {
        return new InputStream() {
            private long left = size;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                if (length == 0) {
                    return 0;
                }
                if (left == 0) {
                    content.finish();
                    return -1;
                }
                int count = content.read(ByteBuffer.wrap(target, offset, (int) Math.min(length, left)));
                left -= count;
                return count;
            }

            @Override
            public void close() throws IOException {
                content.close();
            }
        };
    }
}
