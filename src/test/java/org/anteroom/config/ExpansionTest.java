package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** References to properties inside of values. */
class ExpansionTest {

    private final Expansion expansion =
            new Expansion(Map.of("catalina.base", "/opt/base", "a", "${b}", "empty", "", "b", "B")::get);

    @ParameterizedTest
    @CsvSource({
        "plain, plain",
        "${catalina.base}/conf, /opt/base/conf",
        "x${b}y${b}z, xByBz",
        "${none:-instead}, instead",
        "${none:-}, ''",
        "${b:-instead}, B",
        "${empty:-instead}, ''",
        "${none:-${catalina.base}/anteroom}/db, /opt/base/anteroom/db",
        "${none:-${also.none:-deep}}, deep",
        "${a}, ${b}",
        "$5 and $b and {b}, $5 and $b and {b}",
        "'${none:-a:-b}', a:-b"
    })
    void references(String text, String expanded) throws BadValueException {
        assertThat(expansion.expand(text)).isEqualTo(expanded);
    }

    @Test
    void aNameThatIsNotSet() {
        assertThatThrownBy(() -> expansion.expand("/x/${anteroom.data}"))
                .isInstanceOf(BadValueException.class)
                .hasMessage(
                        "the system property anteroom.data is not set; set it, or write ${anteroom.data:-VALUE} with"
                                + " the value to use without it");
    }

    @Test
    void aReferenceThatDoesNotEnd() {
        assertThatThrownBy(() -> expansion.expand("/x/${b"))
                .isInstanceOf(BadValueException.class)
                .hasMessage("a ${ has no } after it; write ${NAME} or ${NAME:-VALUE}");
        assertThatThrownBy(() -> expansion.expand("${none:-${b}"))
                .isInstanceOf(BadValueException.class)
                .hasMessage("a ${ has no } after it; write ${NAME} or ${NAME:-VALUE}");
    }
}
