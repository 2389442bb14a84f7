package org.anteroom.http;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reusable byte arrays for sending: a bounded stock without a lock. When the stock is empty an array is made, and when it
 * is full one is left to the garbage collector.
 */
final class Buffers {
    private final AtomicReferenceArray<byte[]> stock;
    private final int size;

    /**
     * An empty stock.
     *
     * @param size bytes of each array
     * @param most the most arrays kept; a power of two
     */
    Buffers(int size, int most) {
        if (Integer.bitCount(most) != 1) {
            throw new IllegalArgumentException("not a power of two: " + most);
        }
        this.size = size;
        this.stock = new AtomicReferenceArray<>(most);
    }

    byte[] take() {
        int start = start();
        for (int i = 0; i < 4; i++) {
            byte[] found = stock.getAndSet((start + i) & (stock.length() - 1), null);
            if (found != null) {
                return found;
            }
        }
        return new byte[size];
    }

    void give(byte[] buffer) {
        int start = start();
        for (int i = 0; i < 4; i++) {
            if (stock.compareAndSet((start + i) & (stock.length() - 1), null, buffer)) {
                return;
            }
        }
    }

    /** Bytes of each array. */
    int size() {
        return size;
    }

    /** Threads begin at different places, so that they rarely meet. */
    private static int start() {
        return (int) (Thread.currentThread().getId() * 4);
    }
}
