package org.anteroom.archive.bagit;

/** Bags that are tar files. */
class TarBagsTest extends BagitContract {

    @Override
    BagName.Form form() {
        return BagName.Form.TAR;
    }
}
