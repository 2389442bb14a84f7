package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.anteroom.testing.RawHttp;

/**
 * The answers to requests for one and the same file when it is cold, when it is being filled, and when it is cached.
 *
 * <p>The file lies in the archive many times, with the same name, bytes and time: a place of its own for each cold request,
 * and one for each of the other states.
 */
final class ThreeStates implements AutoCloseable {
    static final Instant MODIFIED = Instant.parse("2024-05-06T07:08:09.987654321Z");

    /** What may differ: the Date and an id do, and the checksum is known once there is a copy. */
    private static final Set<String> FREE = Set.of("cache-status", "date", "repr-digest", "x-request-id");

    private final Site site;
    private final List<RawHttp> connections = new ArrayList<>();
    private int places;

    /**
     * A request.
     *
     * @param size of the file that is asked for
     * @param fetches whether bytes of the file come back, so that the answer may have to wait for them
     */
    record Ask(int size, String method, List<String> headers, boolean fetches) {}

    /** The answers to one request, by the state of the file. */
    record Answers(RawHttp.Response cold, RawHttp.Response filling, RawHttp.Response cached) {
        List<RawHttp.Response> all() {
            return List.of(cold, filling, cached);
        }

        void assertAlike() {
            assertThat(essence(cold)).as("cold and cached").isEqualTo(essence(cached));
            assertThat(essence(filling)).as("filling and cached").isEqualTo(essence(cached));
        }
    }

    ThreeStates(Site site) {
        this.site = site;
    }

    static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    /** Puts the file into a place of its own; its request target. */
    private String put(int size) throws IOException {
        String place = "place" + places++;
        Path file = site.archiveFolder().resolve(Site.DATASET).resolve(place).resolve("a file.csv");
        Files.createDirectories(file.getParent());
        Files.write(file, bytes(size));
        Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
        return "/files/" + Site.DATASET + "/" + place + "/a%20file.csv";
    }

    /** The same once for each size that is asked for. */
    private Map<Integer, String> putEach(List<Ask> asks) throws IOException {
        Map<Integer, String> targets = new LinkedHashMap<>();
        for (Ask ask : asks) {
            if (!targets.containsKey(ask.size())) {
                targets.put(ask.size(), put(ask.size()));
            }
        }
        return targets;
    }

    private static String path(String target) {
        return target.substring(("/files/" + Site.DATASET + "/").length()).replace("%20", " ");
    }

    /** The entity tag of the file of a size. */
    String etag(int size) throws IOException {
        return RawHttp.exchange(site.uri(), "HEAD", put(size)).header("ETag").orElseThrow();
    }

    /** The answers to each request. */
    <T> Map<T, Answers> answers(Map<T, Ask> requests) throws Exception {
        List<Ask> asks = List.copyOf(requests.values());
        List<RawHttp.Response> cold = cold(asks);
        List<RawHttp.Response> filling = filling(asks);
        List<RawHttp.Response> cached = cached(asks);
        Map<T, Answers> answers = new LinkedHashMap<>();
        int i = 0;
        for (T request : requests.keySet()) {
            answers.put(request, new Answers(cold.get(i), filling.get(i), cached.get(i)));
            i++;
        }
        return answers;
    }

    private List<RawHttp.Response> cold(List<Ask> asks) throws Exception {
        List<RawHttp.Response> answers = new ArrayList<>();
        try (RawHttp http = RawHttp.connect(site.uri())) {
            for (Ask ask : asks) {
                RawHttp.Response answer = exchange(http, put(ask.size()), ask);
                if (ask.fetches()) {
                    assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; fwd=uri-miss; stored");
                } else {
                    assertNoHit(answer);
                }
                answers.add(answer);
            }
        }
        return answers;
    }

    /**
     * Asks everything at once while a fill of each size stands still in the middle. What needs no bytes is answered then; for
     * the others the fills are let go on.
     */
    private List<RawHttp.Response> filling(List<Ask> asks) throws Exception {
        double before = transfers();
        Map<Integer, String> targets = putEach(asks);
        List<SteeredArchive.Hold> holds = new ArrayList<>();
        for (Map.Entry<Integer, String> target : targets.entrySet()) {
            int size = target.getKey();
            holds.add(site.archive().hold(path(target.getValue()), size / 2));
            begin(target.getValue(), new Ask(size, "GET", List.of(), true));
        }
        for (SteeredArchive.Hold hold : holds) {
            hold.awaitReached();
        }
        List<RawHttp> waiting = new ArrayList<>();
        for (Ask ask : asks) {
            waiting.add(begin(Objects.requireNonNull(targets.get(ask.size())), ask));
        }
        RawHttp.Response[] answers = new RawHttp.Response[asks.size()];
        for (int i = 0; i < asks.size(); i++) {
            if (!asks.get(i).fetches()) {
                answers[i] = waiting.get(i).response(asks.get(i).method());
                assertNoHit(answers[i]);
            }
        }
        long begun = asks.stream().filter(Ask::fetches).count()
                + targets.keySet().stream().filter(size -> size > 0).count();
        Site.await("all have begun", () -> transfers() - before >= begun);
        holds.forEach(SteeredArchive.Hold::release);

        for (int i = 0; i < asks.size(); i++) {
            if (asks.get(i).fetches()) {
                answers[i] = waiting.get(i).response(asks.get(i).method());
                assertThat(Site.cacheStatus(answers[i])).isEqualTo("anteroom; fwd=uri-miss; collapsed");
            }
        }
        return List.of(answers);
    }

    /** That an answer without bytes is not from a copy; one of 412 or 416 does not say where it is from. */
    private static void assertNoHit(RawHttp.Response answer) {
        assertThat(Site.cacheStatus(answer)).startsWith(answer.status() < 400 ? "anteroom; fwd=" : "none");
    }

    /** Transfers that have begun so far. */
    private double transfers() throws IOException {
        return site.figure("anteroom_transfers_total") + site.figure("anteroom_transfers_active");
    }

    private List<RawHttp.Response> cached(List<Ask> asks) throws Exception {
        Map<Integer, String> targets = putEach(asks);
        for (String target : targets.values()) {
            Site.await(
                    "a hit",
                    () -> Site.cacheStatus(RawHttp.get(site.uri(), target)).equals("anteroom; hit"));
        }
        List<RawHttp.Response> answers = new ArrayList<>();
        try (RawHttp http = RawHttp.connect(site.uri())) {
            for (Ask ask : asks) {
                RawHttp.Response answer = exchange(http, Objects.requireNonNull(targets.get(ask.size())), ask);
                if (answer.status() < 400) {
                    assertThat(Site.cacheStatus(answer)).isEqualTo("anteroom; hit");
                }
                answers.add(answer);
            }
        }
        return answers;
    }

    private RawHttp begin(String target, Ask ask) throws IOException {
        RawHttp http = RawHttp.connect(site.uri());
        connections.add(http);
        http.request(ask.method(), target, ask.headers().toArray(String[]::new));
        return http;
    }

    private static RawHttp.Response exchange(RawHttp http, String target, Ask ask) throws IOException {
        http.request(ask.method(), target, ask.headers().toArray(String[]::new));
        return http.response(ask.method());
    }

    /** What must be the same in every state: the status, headers but a few, and the body but for what is of one answer. */
    private static List<String> essence(RawHttp.Response response) {
        List<String> essence = new ArrayList<>();
        essence.add("status " + response.status());
        Multiparts multipart = Multiparts.of(response);
        // the body of a problem names its request
        boolean problem = response.status() >= 400;
        for (String header : response.headers()) {
            String name = header.substring(0, header.indexOf(':')).toLowerCase(Locale.ROOT);
            if (!FREE.contains(name) && !(problem && name.equals("content-length"))) {
                essence.add(multipart == null ? header : header.replace(multipart.boundary(), "BOUNDARY"));
            }
        }
        essence.sort(null);
        if (multipart != null) {
            essence.add(multipart.parts().toString());
        } else if (!problem) {
            essence.add(Arrays.hashCode(response.body()) + " " + response.body().length);
        }
        return essence;
    }

    @Override
    public void close() throws IOException {
        for (RawHttp http : connections) {
            http.close();
        }
        site.close();
    }
}
