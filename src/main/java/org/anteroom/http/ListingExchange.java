package org.anteroom.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.delivery.Preconditions;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request for a listing and its answer. */
final class ListingExchange implements Transfer.Source {
    private static final Logger log = LoggerFactory.getLogger(ListingExchange.class);

    private final FileService files;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final FolderKey folder;
    private final ListingFormat format;
    private final AsyncContext async;
    private volatile @Nullable Transfer transfer;
    private volatile boolean over;

    /** Makes the exchange asynchronous. */
    ListingExchange(
            FileService files,
            HttpServletRequest request,
            HttpServletResponse response,
            FolderKey folder,
            ListingFormat format) {
        this.files = files;
        this.request = request;
        this.response = response;
        this.folder = folder;
        this.format = format;
        this.async = request.startAsync(request, response);
        async.setTimeout(0);
        async.addListener(new EndOfExchange(() -> over = true, this::endedByContainer));
    }

    private void endedByContainer(Throwable cause) {
        over = true;
        Transfer mine = transfer;
        if (mine == null) {
            complete();
        } else {
            mine.onError(cause);
        }
    }

    /** Sends the body, as its pages come. */
    void send(ListingBody body) throws IOException {
        Transfer begun = new Transfer(
                async, response.getOutputStream(), this, body, 0, Long.MAX_VALUE, files.way(request, files.deliveries));
        transfer = begun;
        files.transfers.begun(begun);
        begun.start();
    }

    /** Answers without the body, once it is known that there is the folder. */
    void answerWithoutBody(CompletableFuture<Boolean> folder, Preconditions.Outcome outcome) {
        var unused = folder.whenComplete((there, failure) -> {
            try {
                files.misses.execute(() -> answerWithoutBody(failure, outcome));
            } catch (RejectedExecutionException e) {
                refuse(new FailureException(
                        FailureReason.OVERLOADED, "Too many requests wait for the archive; try again in a moment.", e));
            }
        });
    }

    private void answerWithoutBody(@Nullable Throwable failure, Preconditions.Outcome outcome) {
        if (failure != null) {
            refuse(ArchiveGate.failure(failure));
        } else if (outcome == Preconditions.Outcome.FAILED) {
            refuse(new FailureException(
                    FailureReason.CONDITION_FAILED, "The condition does not hold: a listing has no entity tag."));
        } else if (!over) {
            if (outcome == Preconditions.Outcome.NOT_MODIFIED) {
                response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
                setFieldsForCaches();
            } else {
                commit();
            }
            try {
                Container.commit(request, response);
            } catch (IOException e) {
                log.debug("the client of {} is gone", folder, e);
            }
            complete();
        }
    }

    private void complete() {
        try {
            async.complete();
        } catch (IllegalStateException e) {
            // the container has ended the exchange already, after an error of its own
        }
    }

    // ---- what the transfer asks for

    @Override
    public void commit() {
        response.setStatus(HttpServletResponse.SC_OK);
        response.setContentType(format.contentType());
        setFieldsForCaches();
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", format.contentSecurityPolicy());
    }

    private void setFieldsForCaches() {
        response.setHeader("Cache-Control", "no-cache");
        response.addHeader("Vary", "Accept");
    }

    @Override
    public Body next(Body failed, long position, IOException cause) throws IOException {
        throw cause;
    }

    @Override
    public void refuse(IOException cause) {
        if (over) {
            return;
        }
        byte[] body = Problem.begin(request, response, ArchiveGate.failure(cause), files.answers);
        if (body == null) {
            sever(cause);
            return;
        }
        Transfer before = transfer;
        Transfer last = files.refusals().send(request, response, async, body, before != null && before.listening());
        if (last != null) {
            transfer = last;
        }
    }

    @Override
    public @Nullable TcpConnection connection() {
        return TcpConnection.of(request);
    }

    @Override
    public void sever(IOException cause) {
        Severance.request(async, cause);
    }

    @Override
    public void ended(Transfer.End end, long sent, @Nullable Throwable cause) {
        Transfer mine = transfer;
        if (mine != null) {
            files.transfers.ended(mine, Transfers.Kind.LISTING, end, sent);
        }
        if (end == Transfer.End.FAILED && sent > 0) {
            log.warn(
                    "request {}: the listing of {} in {} was broken off after {} bytes: {}",
                    Problem.requestId(request),
                    folder.path(),
                    folder.dataset(),
                    sent,
                    String.valueOf(cause));
        } else if (end == Transfer.End.STALLED) {
            log.info(
                    "request {}: a client of the listing of {} in {} took nothing for too long and was dropped after {}"
                            + " bytes",
                    Problem.requestId(request),
                    folder.path(),
                    folder.dataset(),
                    sent);
        }
    }
}
