package org.anteroom.inventory;

/**
 * Who owns a piece of work: one boot of one instance.
 *
 * @param instance the instance's name
 * @param boot random, new for each start
 */
public record Owner(String instance, String boot) {

    /** Checks what the record promises. */
    public Owner {
        if (instance.isEmpty() || boot.isEmpty()) {
            throw new IllegalArgumentException("an owner has an instance and a boot");
        }
    }
}
