package org.anteroom;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static com.tngtech.archunit.library.plantuml.rules.PlantUmlArchCondition.Configuration.consideringOnlyDependenciesInAnyPackage;
import static com.tngtech.archunit.library.plantuml.rules.PlantUmlArchCondition.adhereToPlantUmlDiagram;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import javax.sql.DataSource;

/** Who may import what: the levels of {@code docs/architecture.puml}, and the few places for each outside API. */
@AnalyzeClasses(packages = "org.anteroom", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ALL = "org.anteroom..";
    private static final String MODEL = "org.anteroom.model..";
    private static final String METRICS = "org.anteroom.metrics..";
    private static final String TASKS = "org.anteroom.tasks..";
    private static final String JDBC = "org.anteroom.jdbc..";
    private static final String S3 = "org.anteroom.s3..";
    private static final String INVENTORY = "org.anteroom.inventory..";
    private static final String VOLUME = "org.anteroom.volume..";
    private static final String ARCHIVE = "org.anteroom.archive..";
    private static final String DELIVERY = "org.anteroom.delivery..";
    private static final String FILL = "org.anteroom.fill..";
    private static final String EVICTION = "org.anteroom.eviction..";
    private static final String INTEGRITY = "org.anteroom.integrity..";
    private static final String HTTP = "org.anteroom.http..";
    private static final String ADMIN = "org.anteroom.admin..";
    private static final String CONFIG = "org.anteroom.config..";
    private static final String APP = "org.anteroom.app..";

    @ArchTest
    static final ArchRule packages_follow_the_diagram = classes()
            .should(adhereToPlantUmlDiagram(
                    Path.of("docs/architecture.puml"), consideringOnlyDependenciesInAnyPackage(ALL)));

    @ArchTest
    static final ArchRule packages_are_free_of_cycles =
            slices().matching("org.anteroom.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule level_0_imports_level_0 = noClasses()
            .that()
            .resideInAnyPackage(MODEL, METRICS, TASKS, JDBC, S3)
            .should()
            .dependOnClassesThat(resideInAPackage(ALL).and(not(resideInAnyPackage(MODEL, METRICS, TASKS, JDBC, S3))));

    @ArchTest
    static final ArchRule level_1_imports_levels_0_and_1 = noClasses()
            .that()
            .resideInAnyPackage(INVENTORY, VOLUME, ARCHIVE, DELIVERY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(FILL, EVICTION, INTEGRITY, HTTP, ADMIN, CONFIG, APP);

    @ArchTest
    static final ArchRule level_2_imports_levels_0_to_2 = noClasses()
            .that()
            .resideInAnyPackage(FILL, EVICTION, INTEGRITY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(HTTP, ADMIN, CONFIG, APP);

    @ArchTest
    static final ArchRule level_3_imports_levels_0_to_3 = noClasses()
            .that()
            .resideInAnyPackage(HTTP, ADMIN)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CONFIG, APP);

    @ArchTest
    static final ArchRule admin_uses_the_error_and_address_parts_of_http_alone = noClasses()
            .that()
            .resideInAPackage(ADMIN)
            .should()
            .dependOnClassesThat(resideInAPackage(HTTP)
                    .and(not(nameMatching(
                            "org\\.anteroom\\.http\\.(Problem|Error|Page|FileTarget|RawQuery|RawUriFilter).*"))));

    @ArchTest
    static final ArchRule nobody_imports_app = noClasses()
            .that()
            .resideOutsideOfPackage(APP)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(APP);

    @ArchTest
    static final ArchRule the_model_is_pure = classes()
            .that()
            .resideInAPackage(MODEL)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            MODEL,
                            "java.lang..",
                            "java.nio.charset..",
                            "java.security..",
                            "java.time..",
                            "java.util..",
                            "org.jspecify..")
                    .or(equivalentTo(java.io.IOException.class)));

    @ArchTest
    static final ArchRule delivery_does_no_io = noClasses()
            .that()
            .resideInAPackage(DELIVERY)
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.io..", "java.nio.file..", "java.nio.channels..", "java.sql..")
                    .and(not(equivalentTo(java.io.IOException.class))));

    @ArchTest
    static final ArchRule the_servlet_api_stays_at_the_edge = noClasses()
            .that()
            .resideOutsideOfPackages(HTTP, ADMIN, APP)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("jakarta.servlet..");

    @ArchTest
    static final ArchRule sql_stays_in_jdbc_and_inventory = noClasses()
            .that()
            .resideOutsideOfPackages(JDBC, INVENTORY)
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql..", "org.jdbi..", "org.flywaydb..")
                    .and(not(equivalentTo(DataSource.class))));

    @ArchTest
    static final ArchRule data_sources_are_found_and_handed_on = noClasses()
            .that()
            .resideOutsideOfPackages(JDBC, INVENTORY, CONFIG, APP)
            .should()
            .dependOnClassesThat(equivalentTo(DataSource.class));

    @ArchTest
    static final ArchRule pools_are_made_and_read_in_few_places = noClasses()
            .that()
            .resideOutsideOfPackages(JDBC, CONFIG)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.zaxxer..", "org.apache.tomcat..", "org.sqlite..");

    @ArchTest
    static final ArchRule the_http_client_is_used_by_one_archive = noClasses()
            .that()
            .resideOutsideOfPackage("org.anteroom.archive.http")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.hc..");

    @ArchTest
    static final ArchRule the_aws_sdk_is_used_for_object_stores_alone = noClasses()
            .that()
            .resideOutsideOfPackages(S3, "org.anteroom.volume.s3", "org.anteroom.archive.s3")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("software.amazon..");

    @ArchTest
    static final ArchRule jndi_is_asked_by_config_alone = noClasses()
            .that()
            .resideOutsideOfPackage(CONFIG)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("javax.naming..");

    @ArchTest
    static final ArchRule nothing_of_the_container_is_needed = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("org.anteroom.http.Container$Tomcat")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.catalina..", "org.apache.coyote..", "org.eclipse.jetty..");

    @ArchTest
    static final ArchRule time_is_injected = noClasses()
            .that()
            .resideOutsideOfPackage(APP)
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(LocalDateTime.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule no_java_util_logging = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule no_standard_streams = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
}
