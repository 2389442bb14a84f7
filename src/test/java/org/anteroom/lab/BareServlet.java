package org.anteroom.lab;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** What Anteroom is measured against: a servlet that copies a file from the disk to the client and does nothing else. */
public final class BareServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final int BUFFER = 64 * 1024;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Path folder = Path.of(getServletContext().getInitParameter("folder"));
        Path file = folder.resolve(request.getPathInfo().substring(1));
        response.setContentType("application/octet-stream");
        response.setContentLengthLong(file.toFile().length());
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = new FileInputStream(file.toFile())) {
            ServletOutputStream out = response.getOutputStream();
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
        }
    }
}
