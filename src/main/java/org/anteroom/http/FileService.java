package org.anteroom.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.HeaderPolicy;
import org.anteroom.delivery.ResponsePlan;
import org.anteroom.fill.Caching;
import org.anteroom.fill.Heads;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.Located;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.UseLog;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.NoSuchCopyException;
import org.anteroom.volume.VolumeBusyException;
import org.anteroom.volume.VolumeDegradedException;
import org.anteroom.volume.VolumeGuard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a request for a file.
 *
 * <p>A hit is served here, on the container's thread: location from memory, decision, one open, asynchronous sending; no
 * SQL and no lock. Whatever needs the inventory or the archive goes on asynchronously as a {@link Miss}, on a bounded pool
 * of its own, so that a slow archive or database holds no container thread.
 */
public final class FileService {
    private static final Logger log = LoggerFactory.getLogger(FileService.class);

    /** Misses that wait for a thread; more are answered 503. */
    private static final int MISSES_WAITING = 2000;

    /** Transfers that wait for a thread because bytes have come for them; each waits once. */
    private static final int TRANSFERS_WAITING = 20_000;

    private static final int TRANSFER_THREADS = 8;

    /**
     * Opens and reads of all volumes at once: fewer than the connector has threads, so that disks that hang do not take them
     * all.
     */
    public static final int MOST_READS = 128;

    /** Threads for transfers on HTTP/2, where a write may wait for the client's line; more than there are reads, likewise. */
    private static final int SHARED_THREADS = MOST_READS + 64;

    private static final int SUSPECTS_KEPT = 10_000;
    private static final Duration SUSPECT_KEPT = Duration.ofMinutes(1);

    private static final int BUFFER = 128 * 1024;

    private static final int BUFFERS_KEPT = 256;

    final HeaderPolicy policy;
    final Heads heads;
    final Locations<FileHeaders> locations;
    final Caching caching;
    final ArchiveGate archive;
    final Passing passing;
    final CopyStore copies;
    final Transfers transfers;
    final Tasks tasks;
    /** Runs misses and what they leave behind; may block on the inventory and on volumes, within bounds. */
    final ExecutorService misses;
    /** Runs transfers whose bytes have come; never blocks for long. */
    final ExecutorService deliveries;
    /** The ways of misses and transfers that touch a volume, through the two pools. */
    final Lanes missLanes;

    final Lanes deliveryLanes;

    private final Buffers buffers = new Buffers(BUFFER, BUFFERS_KEPT);

    /** The ways of transfers on HTTP/2. */
    private final SharedConnections shared;

    private final Refusals refusals;
    private final ShortAnswers shortAnswers;
    final Duration lookupTimeout;
    final Ticker ticker;
    final AnswerLog answers;
    private final Set<Long> removing = ConcurrentHashMap.newKeySet();

    private final UseLog uses;
    private final InstantSource clock;
    private final Counter requests;
    private final CounterDataPoint hits;
    private final CounterDataPoint fallbacks;
    /** Copies that were found short or wrong lately; should the inventory not have taken it, it is told again later. */
    private final Cache<Long, String> suspected;

    private volatile boolean stopping;

    /**
     * A service over the parts it uses.
     *
     * @param threads of the pool that misses run on, besides those for volumes
     * @param volumes how many there are
     * @param lookupTimeout the longest that a request waits for the inventory in all on its way to the first byte
     */
    public FileService(
            HeaderPolicy policy,
            Heads heads,
            Locations<FileHeaders> locations,
            Caching caching,
            ArchiveGate archive,
            CopyStore copies,
            UseLog uses,
            Transfers transfers,
            AnswerLog answers,
            Tasks tasks,
            int threads,
            int volumes,
            Duration lookupTimeout,
            InstantSource clock,
            Ticker ticker) {
        this.policy = policy;
        this.heads = heads;
        this.locations = locations;
        this.caching = caching;
        this.archive = archive;
        this.passing = new Passing(archive, caching.wrong());
        this.copies = copies;
        this.uses = uses;
        this.transfers = transfers;
        this.tasks = tasks;
        int forVolumes = volumes * Lanes.WIDTH;
        this.misses = tasks.pool("miss", threads + forVolumes, MISSES_WAITING);
        this.deliveries = tasks.pool("deliver", TRANSFER_THREADS + forVolumes, TRANSFERS_WAITING);
        this.missLanes = new Lanes(misses, MISSES_WAITING, caching);
        this.deliveryLanes = new Lanes(deliveries, TRANSFERS_WAITING, caching);
        this.shared = new SharedConnections(tasks.pool("shared", SHARED_THREADS, TRANSFERS_WAITING), TRANSFERS_WAITING);
        this.lookupTimeout = lookupTimeout;
        this.clock = clock;
        this.suspected = Caffeine.newBuilder()
                .maximumSize(SUSPECTS_KEPT)
                .expireAfterWrite(SUSPECT_KEPT)
                .ticker(ticker)
                .build();
        this.ticker = ticker;
        this.answers = answers;
        this.shortAnswers = new ShortAnswers(transfers, shared);
        this.refusals = new Refusals(answers, shortAnswers);
        Metrics metrics = tasks.metrics();
        metrics.gauge(
                "anteroom_shared_connections", "Connections of HTTP/2 with transfers of files under way", shared::size);
        this.requests =
                metrics.counter("anteroom_requests", "Requests for files that were answered, by where from", "cache");
        this.hits = requests.labelValues("hit");
        this.fallbacks = metrics.counter(
                        "anteroom_fallbacks", "Times that a reader lost what it read from and went on elsewhere")
                .labelValues();
    }

    /** Refuses new requests from now on; those under way go on. */
    public void stopAccepting() {
        stopping = true;
    }

    void requireAccepting() throws FailureException {
        if (stopping) {
            throw new FailureException(FailureReason.NOT_READY, "The service is stopping; try again in a moment.");
        }
    }

    /** Sends on what waits in line for volumes that are degraded by now; called twice a second. */
    public void relieveLanes() {
        missLanes.relieve();
        deliveryLanes.relieve();
    }

    /** How answers of a few bytes are sent. */
    public ShortAnswers shortAnswers() {
        return shortAnswers;
    }

    /** How requests are refused. */
    public Refusals refusals() {
        return refusals;
    }

    /** Serves a GET or HEAD for a file. */
    void serve(HttpServletRequest request, HttpServletResponse response, FileTarget.File target) throws IOException {
        requireAccepting();
        Exchange exchange = new Exchange(this, request, response, target);
        FileKey key = heads.resolve(exchange.key());
        if (key == null) {
            serveNewest(exchange);
            return;
        }
        exchange.resolve(key);
        Located<FileHeaders> located = locations.get(exchange.objid());
        List<CopyRow> missing = List.of();
        if (located != null) {
            ResponsePlan plan = exchange.decide(located.derived());
            if (plan.contentLength() <= 0 || !plan.sendsBody()) {
                hits.inc();
                exchange.answerWithoutBody(plan, Exchange.HIT);
                return;
            }
            missing = new ArrayList<>(0);
            CopyBody body = openCopy(located, plan.offset(), missing);
            if (body != null) {
                exchange.sendReady(plan, located, body, Exchange.HIT);
                return;
            }
        }
        exchange.goAsync();
        Miss miss = new Miss(this, exchange, missing, Duration.ZERO);
        exchange.run(missLanes.of(missing), miss::begin);
    }

    /** Serves what is asked for without a version, when it has to be found out which is the newest. */
    private void serveNewest(Exchange exchange) {
        exchange.goAsync();
        var unused = heads.lookup(exchange.key())
                .whenComplete((resolved, failure) -> exchange.run(() -> {
                    if (failure != null) {
                        exchange.refuse(ArchiveGate.failure(failure));
                    } else {
                        exchange.resolve(resolved.key());
                        new Miss(this, exchange, List.of(), resolved.waited()).begin();
                    }
                }));
    }

    /**
     * Opens the first copy that can be read. The rows of those before it that are gone are removed in the background.
     *
     * @param position where reading will begin
     * @param missing gets the copies that their volume says it does not have; with no other the caller sees to their rows
     * @return null if there is none
     */
    @Nullable
    CopyBody openCopy(Located<FileHeaders> located, long position, List<CopyRow> missing) {
        for (CopyRow copy : located.copies()) {
            VolumeGuard volume = caching.volume(copy.volumeId());
            if (volume == null || !volume.readable()) {
                continue;
            }
            try {
                CopyReader reader = volume.open(copy.name(), position);
                if (reader.size() == located.facts().size()) {
                    removeLater(missing);
                    return new CopyBody(copy, reader);
                }
                Bodies.close(reader);
                if (suspect(copy)) {
                    log.warn(
                            "Copy {} of {} is suspect: it has {} bytes instead of {}",
                            copy.name(),
                            copy.objid(),
                            reader.size(),
                            located.facts().size());
                }
            } catch (NoSuchCopyException e) {
                missing.add(copy);
            } catch (VolumeBusyException | VolumeDegradedException e) {
                log.debug("copy {} of {} is passed over: {}", copy.name(), copy.objid(), e.getMessage());
            } catch (IOException e) {
                log.warn(
                        "Copy {} of {} cannot be opened in volume {}: {}",
                        copy.name(),
                        copy.objid(),
                        volume.name(),
                        e.toString());
            }
        }
        return null;
    }

    /**
     * Sends no more readers to a copy that is short or wrong; in the background.
     *
     * @return false if another reader, or an earlier step of this one, has seen to it: the log needs it once
     */
    boolean suspect(CopyRow copy) {
        locations.forget(copy.objid());
        if (suspected.asMap().putIfAbsent(copy.id(), copy.name()) != null) {
            return false;
        }
        background(() -> {
            try {
                copies.suspect(copy.id());
            } catch (IOException e) {
                log.debug("copy {} could not be marked: {}", copy.name(), e.getMessage());
            }
            locations.forget(copy.objid());
        });
        return true;
    }

    /** Removes rows of copies that are gone, in the background, and each once though many readers meet it. */
    private void removeLater(List<CopyRow> missing) {
        for (CopyRow copy : missing) {
            if (removing.add(copy.id())) {
                Runnable removal = () -> {
                    try {
                        removeMissing(List.of(copy), lookupTimeout);
                    } finally {
                        removing.remove(copy.id());
                    }
                };
                if (!tryBackground(missLanes.of(List.of(copy)), removal)) {
                    removing.remove(copy.id());
                }
            }
        }
    }

    /**
     * Removes the rows of copies that are gone, once their volumes have confirmed it.
     *
     * @param wait the longest to wait for the inventory in all
     * @return false if some row stays: the copy may only be out of reach, or the time is up
     */
    boolean removeMissing(List<CopyRow> missing, Duration wait) {
        boolean all = true;
        long giveUpAt = ticker.read() + wait.toNanos();
        for (CopyRow copy : missing) {
            long left = giveUpAt - ticker.read();
            if (left <= 0) {
                return false;
            }
            VolumeGuard volume = caching.volume(copy.volumeId());
            try {
                if (volume != null && volume.confirmMissing(copy.name())) {
                    copies.removeMissing(copy.id(), Duration.ofNanos(left));
                    log.warn(
                            "Copy {} of {} is gone from volume {}; its row is removed",
                            copy.name(),
                            copy.objid(),
                            volume.name());
                } else {
                    // out of reach: the inventory would name it again, so there is nothing to forget
                    all = false;
                    continue;
                }
            } catch (IOException e) {
                log.warn(
                        "The row of copy {} of {}, which is gone, stays for now: {}",
                        copy.name(),
                        copy.objid(),
                        e.getMessage());
                all = false;
            }
            locations.forget(copy.objid());
        }
        return all;
    }

    void background(Runnable work) {
        var unused = tryBackground(misses, work);
    }

    private boolean tryBackground(Executor way, Runnable work) {
        try {
            way.execute(work);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // the next reader of the same copy finds the same and tries again
            log.debug("background work is left out: too much waits", e);
            return false;
        }
    }

    /** What a transfer runs on: where its connection is its own, the container's threads and an executor. */
    TransferWay way(HttpServletRequest request, Executor ordinary) {
        return Container.multiplexes(request)
                ? shared.enter(request.getServletConnection().getConnectionId())
                : new TransferWay(buffers, ordinary, false, () -> {});
    }

    void used(CopyRow copy) {
        uses.used(copy.id());
    }

    void answered(String cacheStatus) {
        if (cacheStatus.equals(Exchange.HIT)) {
            hits.inc();
        } else {
            requests.labelValues(Exchange.label(cacheStatus)).inc();
        }
    }

    void fellBack() {
        fallbacks.inc();
    }

    InstantSource clock() {
        return clock;
    }
}
