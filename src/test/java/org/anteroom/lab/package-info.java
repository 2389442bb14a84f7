/**
 * The laboratory: measurements, run by {@code mvn -Plab verify} or alone by {@code -Dit.test=}. They print and write tables;
 * no timing decides whether they pass.
 */
@NullMarked
package org.anteroom.lab;

import org.jspecify.annotations.NullMarked;
