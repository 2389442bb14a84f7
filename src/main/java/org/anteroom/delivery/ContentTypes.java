package org.anteroom.delivery;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Media types by the suffix of a name, for archives that do not tell.
 *
 * <p>Text types name no charset: nobody knows it, and a wrong one is worse than none.
 */
final class ContentTypes {
    /** The type of what is not known (RFC 9110, section 8.3). */
    static final String UNKNOWN = "application/octet-stream";

    private static final Map<String, String> BY_SUFFIX = Map.ofEntries(
            Map.entry("7z", "application/x-7z-compressed"),
            Map.entry("avi", "video/x-msvideo"),
            Map.entry("bz2", "application/x-bzip2"),
            Map.entry("cdf", "application/x-cdf"),
            Map.entry("cif", "chemical/x-cif"),
            Map.entry("css", "text/css"),
            Map.entry("csv", "text/csv"),
            Map.entry("doc", "application/msword"),
            Map.entry("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            Map.entry("fit", "application/fits"),
            Map.entry("fits", "application/fits"),
            Map.entry("flac", "audio/flac"),
            Map.entry("fts", "application/fits"),
            Map.entry("geojson", "application/geo+json"),
            Map.entry("gif", "image/gif"),
            Map.entry("grb", "application/x-grib"),
            Map.entry("grib", "application/x-grib"),
            Map.entry("grib2", "application/x-grib"),
            Map.entry("gz", "application/gzip"),
            Map.entry("h5", "application/x-hdf5"),
            Map.entry("hdf", "application/x-hdf"),
            Map.entry("hdf5", "application/x-hdf5"),
            Map.entry("htm", "text/html"),
            Map.entry("html", "text/html"),
            Map.entry("ipynb", "application/x-ipynb+json"),
            Map.entry("jp2", "image/jp2"),
            Map.entry("jpeg", "image/jpeg"),
            Map.entry("jpg", "image/jpeg"),
            Map.entry("js", "text/javascript"),
            Map.entry("json", "application/json"),
            Map.entry("jsonl", "application/jsonl"),
            Map.entry("kml", "application/vnd.google-earth.kml+xml"),
            Map.entry("kmz", "application/vnd.google-earth.kmz"),
            Map.entry("log", "text/plain"),
            Map.entry("md", "text/markdown"),
            Map.entry("mkv", "video/matroska"),
            Map.entry("mov", "video/quicktime"),
            Map.entry("mp3", "audio/mpeg"),
            Map.entry("mp4", "video/mp4"),
            Map.entry("nc", "application/x-netcdf"),
            Map.entry("nt", "application/n-triples"),
            Map.entry("ods", "application/vnd.oasis.opendocument.spreadsheet"),
            Map.entry("odt", "application/vnd.oasis.opendocument.text"),
            Map.entry("parquet", "application/vnd.apache.parquet"),
            Map.entry("pdf", "application/pdf"),
            Map.entry("png", "image/png"),
            Map.entry("ppt", "application/vnd.ms-powerpoint"),
            Map.entry("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
            Map.entry("rdf", "application/rdf+xml"),
            Map.entry("rtf", "application/rtf"),
            Map.entry("sha256", "text/plain"),
            Map.entry("sqlite", "application/vnd.sqlite3"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("tab", "text/tab-separated-values"),
            Map.entry("tar", "application/x-tar"),
            Map.entry("tgz", "application/gzip"),
            Map.entry("tif", "image/tiff"),
            Map.entry("tiff", "image/tiff"),
            Map.entry("tsv", "text/tab-separated-values"),
            Map.entry("ttl", "text/turtle"),
            Map.entry("txt", "text/plain"),
            Map.entry("wav", "audio/wav"),
            Map.entry("webm", "video/webm"),
            Map.entry("webp", "image/webp"),
            Map.entry("xls", "application/vnd.ms-excel"),
            Map.entry("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            Map.entry("xml", "application/xml"),
            Map.entry("xz", "application/x-xz"),
            Map.entry("yaml", "application/yaml"),
            Map.entry("yml", "application/yaml"),
            Map.entry("zip", "application/zip"),
            Map.entry("zst", "application/zstd"));

    private final Map<String, String> bySuffix;

    /**
     * The types that are known, and others before them.
     *
     * @param more types by suffix in lower case
     */
    ContentTypes(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(BY_SUFFIX);
        all.putAll(more);
        this.bySuffix = Map.copyOf(all);
    }

    /** The type of a file with this name or path; its suffix in any case. */
    String of(String name) {
        int dot = name.lastIndexOf('.');
        if (dot < 0) {
            return UNKNOWN;
        }
        return bySuffix.getOrDefault(name.substring(dot + 1).toLowerCase(Locale.ROOT), UNKNOWN);
    }
}
