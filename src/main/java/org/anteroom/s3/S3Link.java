package org.anteroom.s3;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.anteroom.tasks.IoGuard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryUtils;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * One client of a store: the SDK's, with its connections counted and its failures translated.
 *
 * <p>What reads and what writes have connections of their own: readers wait for bytes for a short time only, while the answer to
 * a writer may come late, when the store has put all in its place; that is bounded by the time of the whole attempt.
 */
final class S3Link {
    private static final Logger log = LoggerFactory.getLogger(S3Link.class);
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);
    private static final Duration FIRST_BACKOFF_WHEN_SLOWED = Duration.ofMillis(250);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(2);

    /** Connections are not kept for longer, so that those that a server has silently dropped do not pile up. */
    private static final Duration KEPT = Duration.ofMinutes(5);

    private static final Duration KEPT_IDLE = Duration.ofSeconds(20);

    /** Longer than any attempt at writing. */
    private static final Duration LONGEST_SILENCE_AFTER_WRITING = Duration.ofHours(1);

    private final String name;
    private final S3Settings settings;
    private final Connections connections;
    private final Counter requests;
    private final Counter failures;
    private final AwsCredentialsProvider credentials;
    private final ScheduledThreadPoolExecutor timeouts;
    /** A pool says that it has terminated while its thread is still on its way out, which the container takes for a leak. */
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    private final List<SdkHttpClient> pools = new ArrayList<>();
    private final S3Client reading;
    private final S3Client writing;

    S3Link(String name, S3Settings settings, Counter requests, Counter failures, Counter refused) {
        this.name = name;
        this.settings = settings;
        this.requests = requests;
        this.failures = failures;
        CounterDataPoint refusals = refused.labelValues(name);
        this.connections = new Connections(settings.connections(), settings.connectTimeout(), refusals);
        S3Credentials known = settings.credentials();
        this.credentials = known == null
                ? new UsualCredentials()
                : StaticCredentialsProvider.create(AwsBasicCredentials.create(known.accessKey(), known.secretKey()));
        this.timeouts = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "anteroom-s3-timeouts");
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        });
        timeouts.setRemoveOnCancelPolicy(true);
        this.reading = client(settings.stallTimeout());
        this.writing = client(LONGEST_SILENCE_AFTER_WRITING);
    }

    private S3Client client(Duration silence) {
        SdkHttpClient http = Apache5HttpClient.builder()
                .maxConnections(settings.connections())
                .connectionTimeout(settings.connectTimeout())
                .connectionAcquisitionTimeout(settings.connectTimeout())
                .socketTimeout(silence)
                .connectionTimeToLive(KEPT)
                .connectionMaxIdleTime(KEPT_IDLE)
                // its thread belongs to the JVM and would outlive the application
                .useIdleConnectionReaper(false)
                .build();
        pools.add(http);
        boolean trailers = settings.checksums() == Checksums.CRC32;
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(settings.region()))
                .forcePathStyle(settings.pathStyle())
                .credentialsProvider(credentials)
                .httpClient(http)
                .requestChecksumCalculation(
                        trailers ? RequestChecksumCalculation.WHEN_SUPPORTED : RequestChecksumCalculation.WHEN_REQUIRED)
                // objects are read in ranges, of which no store has checksums
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(S3Configuration.builder()
                        .chunkedEncodingEnabled(trailers)
                        .build())
                .overrideConfiguration(ClientOverrideConfiguration.builder()
                        .scheduledExecutorService(timeouts)
                        .apiCallAttemptTimeout(settings.answerTimeout())
                        .apiCallTimeout(callTimeout(settings.answerTimeout()))
                        .retryStrategy(StandardRetryStrategy.builder()
                                .useClientDefaults(false)
                                .retryOnException(Failures::mayPass)
                                .treatAsThrottling(
                                        e -> e instanceof SdkException sdk && RetryUtils.isThrottlingException(sdk))
                                .maxAttempts(settings.attempts())
                                .backoffStrategy(BackoffStrategy.exponentialDelay(FIRST_BACKOFF, LONGEST_BACKOFF))
                                .throttlingBackoffStrategy(
                                        BackoffStrategy.exponentialDelay(FIRST_BACKOFF_WHEN_SLOWED, LONGEST_BACKOFF))
                                .build())
                        .build());
        if (settings.endpoint() != null) {
            builder.endpointOverride(settings.endpoint());
        }
        return builder.build();
    }

    /** The longest time of all attempts together. */
    Duration callTimeout(Duration attempt) {
        return attempt.multipliedBy(settings.attempts()).plus(LONGEST_BACKOFF.multipliedBy(settings.attempts()));
    }

    /** Something that is asked of the store. */
    interface Request<T> {
        T make(S3Client client);
    }

    /** Makes a request, when there is a connection for it. */
    <T> T ask(String operation, Request<T> request) throws IOException {
        IoGuard.beforeIo();
        try {
            connections.take();
        } catch (S3Failure e) {
            throw counted(e);
        }
        try {
            return make(operation, reading, request);
        } finally {
            connections.give(false);
        }
    }

    /** Makes a request that stores something, for whose connection it waits up to so long. */
    <T> T send(String operation, Duration patience, Request<T> request) throws IOException {
        IoGuard.beforeIo();
        try {
            connections.takeForUpload(patience);
        } catch (S3Failure e) {
            throw counted(e);
        }
        try {
            return make(operation, writing, request);
        } finally {
            connections.give(true);
        }
    }

    private <T> T make(String operation, S3Client client, Request<T> request) throws IOException {
        try {
            requests.labelValues(name, operation).inc();
            return request.make(client);
        } catch (SdkException e) {
            throw counted(Failures.of(e));
        } catch (UncheckedIOException e) {
            throw counted(Failures.of(e));
        } catch (IllegalStateException | RejectedExecutionException e) {
            throw counted(new S3Failure(S3Failure.Kind.BROKEN, "the connection to the object store is closed", e));
        } catch (RuntimeException e) {
            // of a field or an element that is not what it should be
            throw counted(Failures.nonsense(e));
        }
    }

    private IOException counted(IOException failure) {
        if (failure instanceof S3Failure told && isFault(told.kind())) {
            failures.labelValues(name, told.kind().name().toLowerCase(Locale.ROOT))
                    .inc();
        }
        return failure;
    }

    /** Whether it is more than an answer. */
    private static boolean isFault(S3Failure.Kind kind) {
        return switch (kind) {
            case NO_OBJECT, NO_UPLOAD, CONDITION, BEYOND_END -> false;
            case NO_BUCKET, FORBIDDEN, MALFORMED, UNKNOWN_FORM, SLOW_DOWN, TIMEOUT, BROKEN, BUSY, OTHER -> true;
        };
    }

    String name() {
        return name;
    }

    S3Settings settings() {
        return settings;
    }

    Connections connections() {
        return connections;
    }

    void close() {
        reading.close();
        writing.close();
        pools.forEach(SdkHttpClient::close);
        if (credentials instanceof SdkAutoCloseable closeable) {
            closeable.close();
        }
        timeouts.shutdownNow();
        try {
            boolean ended = timeouts.awaitTermination(1, TimeUnit.SECONDS);
            for (Thread thread : threads) {
                TimeUnit.SECONDS.timedJoin(thread, 1);
                ended &= !thread.isAlive();
            }
            if (!ended) {
                log.warn("The thread for timeouts of {} did not end", name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
