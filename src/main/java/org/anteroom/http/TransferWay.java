package org.anteroom.http;

import java.util.concurrent.Executor;

/**
 * What a transfer runs on.
 *
 * @param buffers of as many bytes as are written at once
 * @param executor runs it when bytes become available outside a container's callback; bounded
 * @param apart runs on nothing but the executor, a turn at a time, since writes may block and others wait there
 * @param left told when the transfer is over and nothing of it is at work any more
 */
record TransferWay(Buffers buffers, Executor executor, boolean apart, Runnable left) {}
