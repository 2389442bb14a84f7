package org.anteroom.admin;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.anteroom.metrics.Metrics;

/**
 * {@code GET, HEAD /metrics}: the instance's figures, as OpenMetrics text for who accepts that, else as Prometheus text.
 * Other formats are not written, whatever is accepted.
 */
public final class MetricsServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // servlets of this application are never serialised
    private final Metrics metrics;

    @SuppressWarnings("serial") // servlets of this application are never serialised
    private final ExpositionFormatWriter openMetrics = OpenMetricsTextFormatWriter.create();

    @SuppressWarnings("serial") // servlets of this application are never serialised
    private final ExpositionFormatWriter prometheus = PrometheusTextFormatWriter.create();

    /** A servlet over the figures. */
    public MetricsServlet(Metrics metrics) {
        this.metrics = metrics;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Reading.require(request, response);
        ExpositionFormatWriter writer = openMetrics.accepts(request.getHeader("Accept")) ? openMetrics : prometheus;
        ByteArrayOutputStream text = new ByteArrayOutputStream(1 << 14);
        writer.write(text, metrics.registry().scrape());
        response.setHeader("Vary", "Accept");
        Json.send(request, response, HttpServletResponse.SC_OK, writer.getContentType(), text.toByteArray());
    }
}
