package org.anteroom.jdbc;

/**
 * The figures of a connection pool at one moment.
 *
 * @param max the most connections, or -1 where the pool does not tell
 * @param active connections in use, or -1
 * @param idle connections that wait to be used, or -1
 * @param waiting threads that wait for a connection, or -1
 * @param acquisitions connections taken so far
 * @param waits how many of these took longer than a millisecond to get
 * @param waitSeconds seconds that these waits took together
 * @param heldSeconds seconds that connections were held together
 */
public record PoolFigures(
        String name,
        int max,
        int active,
        int idle,
        int waiting,
        long acquisitions,
        long waits,
        double waitSeconds,
        double heldSeconds) {}
