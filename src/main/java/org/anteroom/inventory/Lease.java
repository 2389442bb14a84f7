package org.anteroom.inventory;

/**
 * A role that one owner has for a while.
 *
 * @param name the role
 * @param epoch counts the owners that the role has had
 */
public record Lease(String name, Owner owner, long epoch) {}
