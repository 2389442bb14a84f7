package org.anteroom.archive.bagit;

/** Bags that are zip files. */
class ZipBagsTest extends BagitContract {

    @Override
    BagName.Form form() {
        return BagName.Form.ZIP;
    }
}
