package org.anteroom.http;

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
    private final EndOfExchange end;

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
        this.end = new EndOfExchange(request.startAsync(request, response));
    }

    /** Sends the body, as its pages come. */
    void send(ListingBody body) throws IOException {
        Transfer begun = new Transfer(
                end.async(),
                response.getOutputStream(),
                this,
                body,
                0,
                Long.MAX_VALUE,
                files.way(request, files.deliveries));
        files.transfers.begun(begun);
        end.begins(begun);
        begun.start();
    }

    /** Answers without the body, once it is known that there is the folder. */
    void answerWithoutBody(CompletableFuture<Boolean> folder, Preconditions.Outcome outcome) {
        var unused = folder.whenComplete((there, failure) -> {
            try {
                files.misses.execute(() -> answerWithoutBody(failure, outcome));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                // an error is what a thread that cannot be started is told by
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
        } else if (!end.isOver()) {
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
            end.complete();
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
        if (end.isOver()) {
            return;
        }
        byte[] body = Problem.begin(request, response, ArchiveGate.failure(cause), files.answers);
        if (body == null) {
            sever(cause);
            return;
        }
        files.shortAnswers().send(request, response, end, body);
    }

    @Override
    public @Nullable TcpConnection connection() {
        return TcpConnection.of(request);
    }

    @Override
    public void sever(IOException cause) {
        Severance.request(end.async(), cause);
    }

    @Override
    public void ended(Transfer transfer, Transfer.End how, long sent, @Nullable Throwable cause) {
        files.transfers.ended(transfer, Transfers.Kind.LISTING, how, sent);
        if (how == Transfer.End.FAILED || how == Transfer.End.STALLED) {
            String what = "the listing of " + folder.path() + " in " + folder.dataset();
            files.answers.ended(Problem.requestId(request), what, how, sent, cause);
        }
    }
}
