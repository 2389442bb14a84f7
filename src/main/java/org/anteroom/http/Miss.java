package org.anteroom.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.ResponsePlan;
import org.anteroom.fill.Fill;
import org.anteroom.fill.Outcome;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.Located;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a request whose file is not served from memory: inventory, archive, fill.
 *
 * <p>Each step runs on the pool and hands over to the next when what it waits for is there. All waits for the inventory
 * together are bounded by the lookup timeout; when that is spent, the archive serves.
 */
final class Miss {
    private static final Logger log = LoggerFactory.getLogger(Miss.class);

    private static final String UNREADABLE = "copy-unreadable";

    private static final String MISS = "anteroom; fwd=uri-miss";

    private final FileService service;
    private final Exchange exchange;
    private final List<CopyRow> missing;
    private final long giveUpAt;
    /** How often a fill was over before it could be followed; steps of one exchange run one after the other. */
    private int missedFills;

    /**
     * A miss.
     *
     * @param missing copies that a location in memory named and that their volumes say they do not have
     * @param waited how long the request has waited for the inventory by now
     */
    Miss(FileService service, Exchange exchange, List<CopyRow> missing, Duration waited) {
        this.service = service;
        this.exchange = exchange;
        this.missing = List.copyOf(missing);
        this.giveUpAt =
                service.ticker.read() + service.lookupTimeout.minus(waited).toNanos();
    }

    void begin() {
        if (!missing.isEmpty() && !service.removeMissing(missing, left())) {
            // a row stays that names a copy nobody can open: the inventory would send us there again
            askArchive(UNREADABLE);
            return;
        }
        if (!follow(service.caching.running(exchange.objid()))) {
            lookUp();
        }
    }

    private boolean follow(@Nullable Fill fill) {
        if (fill == null) {
            return false;
        }
        if (service.caching.wrong().has(exchange.objid(), fill.facts())) {
            // it has just found that out, and is about to end
            refuseWrong(fill.facts());
            return true;
        }
        ResponsePlan plan = exchange.decide(service.policy.headers(exchange.key(), fill.facts()));
        if (plan.contentLength() <= 0 || !plan.sendsBody()) {
            exchange.completeWithoutBody(plan, MISS);
            return true;
        }
        return follow(fill, plan, MISS + "; collapsed");
    }

    private boolean follow(Fill fill, ResponsePlan plan, String status) {
        FillBody body = service.passing.follow(exchange.key(), fill, plan.offset());
        if (body == null) {
            return false;
        }
        exchange.send(plan, fill.facts(), body, status);
        return true;
    }

    private void lookUp() {
        var unused = inTime(service.locations.lookup(exchange.objid())).whenComplete((located, failure) -> {
            Executor way = located == null ? service.misses : service.missLanes.of(located.copies());
            exchange.run(way, () -> {
                if (failure != null) {
                    log.debug("no location of {}: {}", exchange.objid(), failure.toString());
                    askArchive("inventory-unavailable");
                } else if (located == null) {
                    askArchive(null);
                } else {
                    serveOrAsk(located);
                }
            });
        });
    }

    /** The same answer, or a TimeoutException once the time that the inventory may take is up. */
    private <T extends @Nullable Object> CompletableFuture<T> inTime(CompletableFuture<T> inventory) {
        if (inventory.isDone()) {
            return inventory;
        }
        CompletableFuture<T> answer = inventory.copy();
        // not by orTimeout(): its thread stays with the JVM, and with it the class loader of this application
        var timeout = service.tasks.after(
                left(), () -> answer.completeExceptionally(new TimeoutException("the inventory takes too long")));
        var unused = answer.whenComplete((found, failure) -> timeout.cancel(false));
        return answer;
    }

    private void serveOrAsk(Located<FileHeaders> located) {
        List<CopyRow> gone = new ArrayList<>(0);
        if (serve(located, gone)) {
            return;
        }
        boolean removed = gone.size() == located.copies().size() && service.removeMissing(gone, left());
        askArchive(removed ? null : UNREADABLE);
    }

    private boolean serve(Located<FileHeaders> located, List<CopyRow> gone) {
        ResponsePlan plan = exchange.decide(located.derived());
        if (plan.contentLength() <= 0 || !plan.sendsBody()) {
            exchange.completeWithoutBody(plan, Exchange.HIT);
            return true;
        }
        CopyBody body = service.openCopy(located, plan.offset(), gone);
        if (body == null) {
            return false;
        }
        exchange.sendReady(plan, located, body, Exchange.HIT);
        return true;
    }

    /**
     * Asks the archive for the file.
     *
     * @param bypass why no fill may be begun: the inventory did not answer, or has copies that are out of reach; null if
     *     one may
     */
    private void askArchive(@Nullable String bypass) {
        ArchiveGate archive = service.archive;
        var unused = (exchange.isForTheWhole() ? archive.headToRead(exchange.key()) : archive.head(exchange.key()))
                .whenComplete((facts, failure) -> exchange.run(() -> {
                    if (failure != null) {
                        refuse(ArchiveGate.failure(failure));
                    } else {
                        fetch(facts, bypass);
                    }
                }));
    }

    /** What is no file may be a folder that is asked for without its slash; if nobody can tell, that is the answer. */
    private void refuse(FailureException failure) {
        if (failure.reason() != FailureReason.NOT_FOUND) {
            exchange.refuse(failure);
            return;
        }
        var unused = service.archive
                .folder(FolderKey.of(exchange.key()))
                .whenComplete((there, missing) -> exchange.run(() -> {
                    if (missing == null) {
                        exchange.redirectToFolder();
                        return;
                    }
                    FailureException reason = ArchiveGate.failure(missing);
                    boolean noFolder =
                            reason.reason() == FailureReason.NOT_FOUND || reason.reason() == FailureReason.NOT_LISTED;
                    exchange.refuse(noFolder ? failure : reason);
                }));
    }

    private void fetch(FileFacts facts, @Nullable String bypass) {
        if (service.caching.wrong().has(exchange.objid(), facts)) {
            refuseWrong(facts);
            return;
        }
        ResponsePlan plan = exchange.decide(service.policy.headers(exchange.key(), facts));
        if (!plan.sendsBody()) {
            exchange.completeWithoutBody(plan, MISS);
            return;
        }
        if (bypass != null) {
            bypass(facts, plan, bypass);
            return;
        }
        // whoever asked first may wait longer than this one has left
        var unused = inTime(service.caching.beginForReader(exchange.key(), facts, left()))
                .whenComplete((outcome, failure) -> exchange.run(() -> {
                    if (failure != null) {
                        bypass(facts, plan, failure instanceof TimeoutException ? "inventory-unavailable" : "error");
                    } else {
                        take(outcome, facts, plan);
                    }
                }));
    }

    /** Refuses a file whose bytes were found wrong; now and then somebody finds out whether they still are. */
    private void refuseWrong(FileFacts facts) {
        service.caching.lookAgainIfDue(exchange.key(), facts, left());
        exchange.refuse(new FailureException(
                FailureReason.WRONG_BYTES,
                "The file cannot be delivered: the bytes of the archive do not match its checksum."));
    }

    private void take(Outcome outcome, FileFacts facts, ResponsePlan plan) {
        if (outcome instanceof Outcome.Following following) {
            Fill fill = following.fill();
            // another reader may have begun it with newer facts
            if (!fill.facts().sameContent(facts)) {
                bypass(facts, plan, "changed");
                return;
            }
            String status = MISS + (following.begun() ? "; stored" : "; collapsed");
            if (service.caching.wrong().has(exchange.objid(), facts)) {
                refuseWrong(facts);
            } else if (plan.contentLength() == 0) {
                exchange.completeWithoutBody(plan, status);
            } else if (!follow(fill, plan, status)) {
                if (++missedFills < 3) {
                    lookUp();
                } else {
                    bypass(facts, plan, "fill-failed");
                }
            }
        } else if (outcome instanceof Outcome.Cached cached) {
            Located<FileHeaders> located = service.locations.put(exchange.objid(), cached.copies());
            if (located == null) {
                bypass(facts, plan, UNREADABLE);
                return;
            }
            exchange.run(service.missLanes.of(located.copies()), () -> {
                if (!serve(located, new ArrayList<>(0))) {
                    bypass(facts, plan, UNREADABLE);
                }
            });
        } else if (outcome instanceof Outcome.Bypass bypass) {
            bypass(facts, plan, bypass.detail());
        }
    }

    private void bypass(FileFacts facts, ResponsePlan plan, String detail) {
        String status = "anteroom; fwd=bypass; detail=" + detail;
        if (plan.contentLength() == 0) {
            exchange.completeWithoutBody(plan, status);
        } else {
            passThrough(facts, plan, status);
        }
    }

    private void passThrough(FileFacts facts, ResponsePlan plan, String status) {
        exchange.send(plan, facts, service.passing.begin(exchange.key(), facts, plan.offset(), plan.end()), status);
    }

    /** What is left of the time that the inventory may take. */
    private Duration left() {
        long nanos = giveUpAt - service.ticker.read();
        return nanos <= 0 ? Duration.ZERO : Duration.ofNanos(nanos);
    }
}
