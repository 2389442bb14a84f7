package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.FileRequest;
import org.anteroom.delivery.Multipart;
import org.anteroom.delivery.ResponsePlan;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.Located;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request for a file and its answer: carries out a {@link ResponsePlan} and, when a body is lost in the middle, finds
 * where to go on.
 */
final class Exchange implements Transfer.Source {
    /** Cache-Status (RFC 9211) of an answer from a copy. */
    static final String HIT = "anteroom; hit";

    private static final Logger log = LoggerFactory.getLogger(Exchange.class);

    private final FileService service;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private FileKey key;
    private String objid;
    private final FileRequest asked;
    /** The request's id as a number; the text is made when something needs it, the request may be gone by then. */
    private final long number = ThreadLocalRandom.current().nextLong();

    private @Nullable EndOfExchange end;
    private @Nullable ResponsePlan plan;
    private @Nullable FileFacts facts;
    /** Copies that may still be tried when a body is lost. */
    private final List<CopyRow> others = new ArrayList<>(0);

    private String cacheStatus = HIT;

    Exchange(FileService service, HttpServletRequest request, HttpServletResponse response, FileTarget.File target) {
        this.service = service;
        this.request = request;
        this.response = response;
        this.key = target.key();
        this.objid = key.objid();
        this.asked = FileRequests.of(request, target.inline());
    }

    FileKey key() {
        return key;
    }

    String objid() {
        return objid;
    }

    /** Goes on with the key that copies have, for one that names no version. */
    void resolve(FileKey resolved) {
        if (!resolved.equals(key)) {
            key = resolved;
            objid = resolved.objid();
        }
    }

    private String id() {
        return HexFormat.of().toHexDigits(number);
    }

    /** Whether the answer, if it is a file, is the whole of it. */
    boolean isForTheWhole() {
        return asked.isForTheWhole();
    }

    ResponsePlan decide(FileHeaders headers) {
        return ResponsePlan.decide(asked, headers, service.clock());
    }

    // ---- asynchronous

    void goAsync() {
        end = new EndOfExchange(request.startAsync(request, response));
    }

    /** Runs a step of this exchange on the pool; when that is full the client is told to come later. */
    void run(Runnable step) {
        run(service.misses, step);
    }

    /** The same, by way of a lane of the pool. */
    void run(Executor way, Runnable step) {
        try {
            way.execute(() -> guarded(step));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // an error is what a thread that cannot be started is told by
            refuse(new FailureException(
                    FailureReason.OVERLOADED, "Too many requests wait for the archive; try again in a moment.", e));
        }
    }

    private void guarded(Runnable step) {
        if (started().isOver()) {
            return;
        }
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            refuse(e);
        }
    }

    // ---- answers

    /** Answers a plan that has no body to send, or an empty one. */
    void answerWithoutBody(ResponsePlan decided, String status) throws IOException {
        if (refuses(decided)) {
            Problem.identify(request, id());
            service.refusals().refuse(request, response, decided);
            return;
        }
        plan = decided;
        cacheStatus = status;
        writeHeaders();
    }

    /** The same, ending an asynchronous exchange. */
    void completeWithoutBody(ResponsePlan decided, String status) {
        if (refuses(decided)) {
            Problem.identify(request, id());
            explain(Problem.begin(request, response, decided, service.answers));
            return;
        }
        try {
            answerWithoutBody(decided, status);
            service.answered(status);
            Container.commit(request, response);
        } catch (IOException e) {
            log.debug("the client of {} is gone", objid, e);
        }
        complete();
    }

    private static boolean refuses(ResponsePlan decided) {
        return decided.status() == 412 || decided.status() == 416;
    }

    /** Sends the body of a refusal and ends the exchange. */
    private void explain(byte @Nullable [] body) {
        if (body == null) {
            complete();
            return;
        }
        service.shortAnswers().send(request, response, started(), body);
    }

    /** Sends from an open copy, in the container's callbacks. */
    void sendReady(ResponsePlan decided, Located<FileHeaders> located, CopyBody body, String status) {
        try {
            if (end == null) {
                goAsync();
            }
            others.addAll(located.copies());
        } catch (RuntimeException | Error e) {
            body.close();
            throw e;
        }
        begin(decided, located.facts(), body, status).startReady();
    }

    /** Sends from a body whose first bytes may have to be waited for. */
    void send(ResponsePlan decided, FileFacts known, Body body, String status) {
        Transfer begun = begin(decided, known, body, status);
        if (body instanceof FillBody) {
            // its bytes come from a volume, which may hang
            begun.wake();
        } else {
            begun.start();
        }
    }

    private Transfer begin(ResponsePlan decided, FileFacts known, Body body, String status) {
        plan = decided;
        facts = known;
        cacheStatus = status;
        if (body instanceof CopyBody copy) {
            tried(copy.copy());
        }
        Multipart parts = decided.multipart();
        long first = parts == null ? decided.offset() : 0;
        Transfer begun;
        try {
            begun = new Transfer(
                    started().async(),
                    response.getOutputStream(),
                    this,
                    parts == null ? body : new PartsBody(parts, body, this::moveTo),
                    first,
                    parts == null ? decided.end() : decided.contentLength(),
                    service.way(
                            request,
                            body instanceof FillBody fill
                                    ? service.deliveryLanes.of(fill.volumeId())
                                    : service.deliveries));
        } catch (IOException e) {
            body.close();
            throw new IllegalStateException("a response has one output stream", e);
        } catch (RuntimeException | Error e) {
            // the container may have ended the exchange and taken back its request
            body.close();
            throw e;
        }
        service.transfers.begun(begun);
        started().begins(begun);
        return begun;
    }

    /** Sends the client on to the folder of this name; ends the exchange. */
    void redirectToFolder() {
        try {
            Redirect.toFolder(request, response);
            Container.commit(request, response);
        } catch (IOException e) {
            log.debug("the client of {} is gone", objid, e);
        }
        complete();
    }

    /** Answers with an error if nothing has been sent; ends the exchange. */
    @Override
    public void refuse(IOException cause) {
        refuse((Throwable) cause);
    }

    void refuse(Throwable cause) {
        if (started().isOver()) {
            return;
        }
        Problem.identify(request, id());
        byte[] body = Problem.begin(request, response, asFailure(cause), service.answers);
        if (body == null) {
            Severance.request(started().async(), new IOException(cause));
        } else {
            explain(body);
        }
    }

    private static Throwable asFailure(Throwable cause) {
        return cause instanceof IOException && !(cause instanceof FailureException)
                ? new FailureException(FailureReason.ARCHIVE_FAILED, "The file cannot be read at the moment.", cause)
                : cause;
    }

    private void complete() {
        started().complete();
    }

    private EndOfExchange started() {
        EndOfExchange now = end;
        if (now == null) {
            throw new IllegalStateException("the exchange is not asynchronous");
        }
        return now;
    }

    private ResponsePlan decided() {
        ResponsePlan now = plan;
        if (now == null) {
            throw new IllegalStateException("nothing is decided");
        }
        return now;
    }

    private void writeHeaders() {
        ResponsePlan decided = decided();
        response.setStatus(decided.status());
        decided.forEachHeader(response::setHeader);
        response.setHeader("Cache-Status", cacheStatus);
        if (decided.contentLength() != ResponsePlan.NO_LENGTH) {
            response.setContentLengthLong(decided.contentLength());
        }
    }

    // ---- what the transfer asks for

    @Override
    public void commit() {
        writeHeaders();
        service.answered(cacheStatus);
    }

    @Override
    public Body next(Body failed, long position, IOException cause) throws IOException {
        if (failed instanceof PartsBody parts) {
            parts.goOn(next(parts.source(), parts.positionInFile(position), cause));
            return parts;
        }
        if (failed instanceof ArchiveBody) {
            throw cause;
        }
        service.fellBack();
        if (failed instanceof CopyBody copy && cause instanceof EOFException) {
            service.suspect(copy.copy());
        }
        Body body = nextCopy(position);
        if (body == null) {
            body = service.passing.goOn(key, known(), position, decided().end(), failed);
        }
        log.warn(
                "request {}: a reader of {} lost its source at byte {} and goes on from {}: {}",
                id(),
                objid,
                position,
                body instanceof CopyBody other ? "copy " + other.copy().name() : "the archive",
                cause.toString());
        return body;
    }

    private Body moveTo(long position, Body before) {
        return service.passing.move(key, known(), position, decided().end(), before);
    }

    private @Nullable Body nextCopy(long position) {
        if (others.isEmpty()) {
            return null;
        }
        List<CopyRow> left = List.copyOf(others);
        CopyBody body = service.openCopy(
                new Located<>(objid, known(), left, service.policy.headers(key, known())),
                position,
                new ArrayList<>(0));
        if (body == null) {
            others.clear();
        } else {
            tried(body.copy());
        }
        return body;
    }

    private FileFacts known() {
        FileFacts now = facts;
        if (now == null) {
            throw new IllegalStateException("nothing is known of the file");
        }
        return now;
    }

    private void tried(CopyRow copy) {
        others.remove(copy);
        service.used(copy);
    }

    @Override
    public @Nullable TcpConnection connection() {
        return TcpConnection.of(request);
    }

    @Override
    public void sever(IOException cause) {
        log.debug("the answer for {} is broken off", objid, cause);
        Severance.request(started().async(), cause);
    }

    @Override
    public void ended(Transfer transfer, Transfer.End how, long sent, @Nullable Throwable cause) {
        service.transfers.ended(transfer, Transfers.Kind.FILE, how, sent);
        if (how == Transfer.End.FAILED || how == Transfer.End.STALLED) {
            service.answers.ended(id(), objid, how, sent, cause);
        }
    }

    /** The label of the metrics for a Cache-Status. */
    static String label(String cacheStatus) {
        if (cacheStatus.equals(HIT)) {
            return "hit";
        }
        if (cacheStatus.endsWith("; stored")) {
            return "miss";
        }
        if (cacheStatus.endsWith("; collapsed")) {
            return "collapsed";
        }
        return cacheStatus.contains("bypass") ? "bypass" : "not-sent";
    }
}
