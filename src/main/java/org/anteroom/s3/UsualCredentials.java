package org.anteroom.s3;

import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.NonRetryableException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/** The credentials that the SDK finds in its usual places, or the word that there are none. */
final class UsualCredentials implements AwsCredentialsProvider, SdkAutoCloseable {
    private final DefaultCredentialsProvider chain =
            DefaultCredentialsProvider.builder().build();

    @Override
    public AwsCredentials resolveCredentials() {
        try {
            return chain.resolveCredentials();
        } catch (SdkClientException e) {
            S3Failure none = new S3Failure(
                    S3Failure.Kind.FORBIDDEN,
                    "there are no credentials for the object store: neither s3.credentials names them, nor does the AWS SDK"
                            + " find them in its usual places",
                    e);
            throw NonRetryableException.builder()
                    .message(none.getMessage())
                    .cause(none)
                    .build();
        }
    }

    @Override
    public void close() {
        chain.close();
    }
}
