package org.anteroom.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.function.Function;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.delivery.HeaderPolicy;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/** A page of a folder as JSON, in the shape of all lists: {@code {"items": […], "next": …}}. */
final class JsonListing implements ListingFormat {
    private static final ObjectWriter WRITER = JsonMapper.builder().build().writer();

    private final Page page;
    private final String query;
    private final HeaderPolicy policy;
    private final Function<FileFacts, @Nullable Instant> lastModified;
    private boolean first = true;

    /**
     * A page.
     *
     * @param query what every link ends with: empty, or beginning with a question mark
     * @param lastModified the time of a file's last change as it is told, or null
     */
    JsonListing(Page page, String query, HeaderPolicy policy, Function<FileFacts, @Nullable Instant> lastModified) {
        this.page = page;
        this.query = query;
        this.policy = policy;
        this.lastModified = lastModified;
    }

    /**
     * An entry; of a folder no more than name, type and href is known.
     *
     * @param lastModified ISO 8601
     * @param sha256 hexadecimal, or null if nobody knows it
     * @param href relative to the folder's address
     */
    record Item(
            String name,
            String type,
            @Nullable Long size,
            @Nullable String lastModified,
            @Nullable String sha256,
            @Nullable String contentType,
            String href) {}

    @Override
    public String contentType() {
        return "application/json";
    }

    @Override
    public String contentSecurityPolicy() {
        return "default-src 'none'";
    }

    @Override
    public byte[] begin() {
        return "{\"items\":[".getBytes(US_ASCII);
    }

    @Override
    public byte[] entry(ArchiveEntry entry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (!first) {
            out.write(',');
        }
        first = false;
        out.writeBytes(json(item(entry)));
        return out.toByteArray();
    }

    @Override
    public byte[] end(@Nullable String last) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("],\"next\":".getBytes(US_ASCII));
        out.writeBytes(json(last == null ? null : page.next(last)));
        out.writeBytes("}\n".getBytes(US_ASCII));
        return out.toByteArray();
    }

    private Item item(ArchiveEntry entry) {
        String href = UriText.encode(entry.name());
        FileFacts facts = entry.facts();
        if (facts == null) {
            return new Item(entry.name(), "folder", null, null, null, null, href + '/' + query);
        }
        Sha256 digest = facts.sha256();
        Instant changed = lastModified.apply(facts);
        return new Item(
                entry.name(),
                "file",
                facts.hasSize() ? facts.size() : null,
                changed == null ? null : changed.toString(),
                digest == null ? null : digest.hex(),
                policy.contentType(entry.name(), facts),
                href + query);
    }

    private static byte[] json(@Nullable Object value) {
        try {
            return WRITER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("text and numbers can be written", e);
        }
    }
}
