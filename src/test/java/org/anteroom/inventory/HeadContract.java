package org.anteroom.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import org.anteroom.model.FileKey;
import org.junit.jupiter.api.Test;

abstract class HeadContract extends InventoryContract {

    @Test
    void whatWasPutLastIsKnown() throws Exception {
        assertThat(heads.find("ark:/1/潮位", WAIT)).isEmpty();
        heads.put("ark:/1/潮位", "1.1.0", WAIT);
        heads.put("other", null, WAIT);
        assertThat(heads.find("ark:/1/潮位", WAIT)).contains(new HeadStore.Head("1.1.0"));
        assertThat(heads.find("other", WAIT)).contains(new HeadStore.Head(null));
        heads.put("ark:/1/潮位", "1.2.0", WAIT);
        heads.put("other", "1", WAIT);
        assertThat(heads.find("ark:/1/潮位", WAIT)).contains(new HeadStore.Head("1.2.0"));
        assertThat(heads.find("other", WAIT)).contains(new HeadStore.Head("1"));
        heads.remove("other", WAIT);
        heads.remove("none", WAIT);
        assertThat(heads.find("other", WAIT)).isEmpty();
        assertThat(heads.find("ark:/1/潮位", WAIT)).isPresent();
    }

    @Test
    void versionsOfAFileAreThoseWithCopiesAndFills() throws Exception {
        long volume = volume("one", 1000);
        for (String objid : new String[] {
            "d/a", "d@1/a", "d@2/a", "d@2/b/a", "d@2/ba", "d@2/A", "d%402/a", "dd@1/a", "d@1.0/潮_%/x", "d@1.0/潮xy/x"
        }) {
            assertThat(fills.complete(begun(objid, 1, ONE, volume), ONE, facts(1)))
                    .isPresent();
        }
        begun("d@3/a", 1, ONE, volume);
        assertThat(copies.versions(FileKey.of("d", "a")))
                .extracting(FileKey::version)
                .containsExactly("1", "2", "3");
        assertThat(copies.versions(FileKey.of("d", "b/a")))
                .extracting(FileKey::version)
                .containsExactly("2");
        assertThat(copies.versions(FileKey.of("d", "潮_%/x")))
                .extracting(FileKey::objid)
                .containsExactly("d@1.0/潮_%/x");
        assertThat(copies.versions(FileKey.of("d", "none"))).isEmpty();
    }
}
