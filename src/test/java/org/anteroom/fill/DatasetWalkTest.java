package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.model.FailureException;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetWalkTest {
    private static final FolderKey ROOT = new FolderKey("set", "", null);

    private final CountingArchive archive = new CountingArchive();

    private void put(String... paths) {
        for (String path : paths) {
            archive.put(FileKey.of("set", path).objid());
        }
    }

    /** Walks on and on, beginning anew from the position whenever it has changed. */
    private List<String> walkInSteps(FolderKey root, int most) throws Exception {
        List<String> seen = new ArrayList<>();
        String position = "";
        DatasetWalk walk;
        do {
            walk = new DatasetWalk(archive, root, position);
            do {
                List<DatasetWalk.Found> found = walk.next(most);
                assertThat(found.size()).isLessThanOrEqualTo(most);
                found.forEach(file -> seen.add(file.key().path()));
            } while (walk.hasMore() && walk.position().equals(position));
            position = walk.position();
        } while (walk.hasMore());
        return seen;
    }

    private List<String> walk(FolderKey root) throws Exception {
        List<String> seen = new ArrayList<>();
        DatasetWalk walk = new DatasetWalk(archive, root, "");
        while (walk.hasMore()) {
            walk.next(500).forEach(file -> seen.add(file.key().path()));
        }
        return seen;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 500})
    void every_file_is_met_once_however_often_it_is_broken_off(int most) throws Exception {
        put(
                "a",
                "a.b",
                "a/b/c",
                "a/b/d",
                "a/b/d/e",
                "a/c",
                "b/'quote",
                "b/\ud83d\ude00",
                "b/\uffee",
                "z/y/x/w/v",
                "zz");
        TreeSet<String> all = new TreeSet<>(ArchiveEntry::compareKeys);
        archive.files.keySet().forEach(objid -> all.add(FileKey.parse(objid).path()));
        assertThat(walkInSteps(ROOT, most)).containsExactlyElementsOf(all);
        assertThat(walk(ROOT)).containsExactlyElementsOf(all);
        assertThat(walkInSteps(new FolderKey("set", "a/b", null), most)).containsExactly("a/b/c", "a/b/d", "a/b/d/e");
    }

    @Test
    void a_big_dataset_is_read_in_pages_that_are_smaller_further_down() throws Exception {
        for (int i = 0; i < 2500; i++) {
            put("top-%04d".formatted(i));
        }
        assertThat(walk(ROOT)).hasSize(2500).doesNotHaveDuplicates();
        assertThat(archive.lists).hasValue(3);
        assertThat(archive.mostListed).isEqualTo(1000);

        StringBuilder deep = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            deep.append("d/");
        }
        put(deep + "file");
        FolderKey folder = new FolderKey("set", "d/".repeat(299) + "d", null);
        assertThat(walk(ROOT)).contains(deep + "file");
        assertThat(walk(folder)).containsExactly(deep + "file");
    }

    @Test
    void names_that_are_too_long_for_a_key_are_counted() throws Exception {
        put("a", "b");
        archive.files.put("set/" + "x".repeat(FileKey.MAX_OBJID_BYTES), new byte[1]);
        DatasetWalk walk = new DatasetWalk(archive, ROOT, "");
        assertThat(walk.next(500)).hasSize(2);
        assertThat(walk.unreachable()).isEqualTo(1);
    }

    @Test
    void a_folder_that_goes_meanwhile_is_as_one_without_files() throws Exception {
        put("a/x", "b", "c");
        DatasetWalk walk = new DatasetWalk(archive, ROOT, "a/w");
        archive.files.remove("set/a/x");
        List<String> seen = new ArrayList<>();
        while (walk.hasMore()) {
            walk.next(1).forEach(file -> seen.add(file.key().path()));
        }
        assertThat(seen).containsExactly("b", "c");
    }

    @Test
    void a_dataset_that_is_not_there_is_a_failure() {
        assertThatThrownBy(() -> new DatasetWalk(archive, ROOT, "").next(1)).isInstanceOf(FailureException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a", "a//b", "../a", "a/./b"})
    void no_walk_ends_at_what_is_no_path(String position) {
        assertThatThrownBy(() -> new DatasetWalk(archive, ROOT, position)).isInstanceOf(IllegalArgumentException.class);
    }
}
