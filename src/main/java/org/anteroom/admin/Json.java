package org.anteroom.admin;

import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;

/** Writes records as JSON: times in ISO 8601, absent values as null. */
final class Json {
    private static final ObjectWriter WRITER = JsonMapper.builder()
            .addModule(new SimpleModule().addSerializer(Instant.class, ToStringSerializer.instance))
            .build()
            .writer();

    private Json() {}

    /** Answers with a status and a body; a HEAD gets the headers alone. */
    static void send(HttpServletRequest request, HttpServletResponse response, int status, Object body)
            throws IOException {
        send(request, response, status, "application/json", WRITER.writeValueAsBytes(body));
    }

    /** Answers with bytes that are not to be kept by anyone. */
    static void send(HttpServletRequest request, HttpServletResponse response, int status, String type, byte[] body)
            throws IOException {
        response.setStatus(status);
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setContentType(type);
        response.setContentLength(body.length);
        if (!request.getMethod().equals("HEAD")) {
            response.getOutputStream().write(body);
        }
    }
}
