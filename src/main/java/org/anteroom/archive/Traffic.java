package org.anteroom.archive;

/** For whom the archive is asked. */
enum Traffic {
    /** For somebody who waits. */
    PEOPLE,
    /** For work that can wait, such as files that are fetched before anybody asks for them. */
    BACKGROUND
}
