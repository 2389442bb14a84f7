package org.anteroom.archive.bagit;

/** Bags that are folders. */
class FolderBagsTest extends BagitContract {

    @Override
    BagName.Form form() {
        return BagName.Form.FOLDER;
    }
}
