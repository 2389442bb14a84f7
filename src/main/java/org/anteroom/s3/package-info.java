/**
 * Clients of object stores that speak S3, bounded in connections, time and memory, and what their failures mean.
 *
 * <p>May import: {@code model}, {@code tasks}, {@code metrics}. No other class than those that ask a store names one of the AWS
 * SDK, so that it is not loaded where nothing lies in S3.
 */
@NullMarked
package org.anteroom.s3;

import org.jspecify.annotations.NullMarked;
