package org.anteroom.testing;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** System properties that are set for a while: closing puts back what was there. */
final class ScopedProperties implements AutoCloseable {
    private final Map<String, @Nullable String> before = new HashMap<>();

    ScopedProperties(Map<String, String> properties) {
        properties.forEach(this::set);
    }

    /** Sets one more. */
    void set(String name, String value) {
        keep(name);
        System.setProperty(name, value);
    }

    /** Remembers what a property is now, for code that sets it by itself. */
    void keep(String name) {
        if (!before.containsKey(name)) {
            before.put(name, System.getProperty(name));
        }
    }

    @Override
    public void close() {
        before.forEach((name, value) -> {
            if (value == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, value);
            }
        });
    }
}
