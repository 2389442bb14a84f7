package org.anteroom.volume.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.anteroom.s3.ObjectReader;
import org.anteroom.s3.S3Failure;
import org.anteroom.s3.S3Failure.Kind;
import org.anteroom.volume.CopyReader;

/** A copy that is read from the store. */
final class S3Reader implements CopyReader {
    private final String volume;
    private final String copy;
    private final ObjectReader object;

    S3Reader(String volume, String copy, ObjectReader object) {
        this.volume = volume;
        this.copy = copy;
        this.object = object;
    }

    @Override
    public long size() {
        return object.object().size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        try {
            return object.read(target, position);
        } catch (S3Failure e) {
            if (e.kind() == Kind.BEYOND_END || e.kind() == Kind.CONDITION) {
                // this copy is short or another one, which is no fault of the volume: what was opened has ended here
                return -1;
            }
            throw S3Volume.translated(e, volume, copy);
        } catch (IOException e) {
            throw S3Volume.translated(e, volume, copy);
        }
    }

    @Override
    public void close() {
        object.close();
    }
}
