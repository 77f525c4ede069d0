//! The rules of the JUnit importer.

use casebook_record::Event;
use casebook_record::import::JunitError;
use insta::assert_snapshot;
use serde_json::json;

use super::imported::{Imported, junit, try_junit};

fn cases(content: &str) -> Imported {
    junit(format!(r#"<testsuite name="s">{content}</testsuite>"#))
}

fn error(input: impl AsRef<[u8]>) -> String {
    match try_junit(input) {
        Ok(imported) => panic!("{}", imported.text()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_run_begins_and_ends() {
    let imported = junit(
        r#"<testsuites name="all" tests="7"><testsuite><testcase name="a"/></testsuite></testsuites>"#,
    );
    let Event::SuiteStarted(started) = &imported.events[0] else {
        panic!("{:?}", imported.events[0]);
    };
    assert_eq!(started.example_count, 1, "the number of cases in the file");
    let metadata = serde_json::to_value(&started.metadata).unwrap();
    assert_eq!(metadata, json!({"source": "junit", "name": "all"}));
    assert!(matches!(
        imported.events.last(),
        Some(Event::SuiteStopped(_))
    ));

    let imported = cases("");
    let Event::SuiteStarted(started) = &imported.events[0] else {
        panic!("{:?}", imported.events[0]);
    };
    assert_eq!(started.metadata.get("name"), Some(&json!("input")));
}

#[test]
fn suites_nest_and_classes_are_part_of_the_path() {
    assert_snapshot!(cases(r#"
        <testcase name="a" classname="s"/>
        <testsuite name="t"><testcase name="b" classname="c"/><testcase/></testsuite>
        <testcase name="a"/>"#).text(), @"
    + s
    passed s::a
    + t
    passed s::t::c::b
    passed s::t::(anonymous)
    - t
    passed s::a #2
    - s
    ");
}

#[test]
fn several_files_in_one() {
    let imported = junit(
        "<?xml version='1.0'?><testsuite name='a'><testcase name='x'/></testsuite>\n<?xml version='1.0'?><testsuites><testcase name='y'/></testsuites>",
    );
    assert_snapshot!(imported.text(), @"
    + a
    passed a::x
    - a
    passed y
    ");
}

#[test]
fn failures() {
    assert_snapshot!(cases(r#"
        <testcase name="a"><failure message="no &lt;b&gt;&#10;at all" type="T"/></testcase>
        <testcase name="b"><error><![CDATA[
  x & y
second]]></error></testcase>
        <testcase name="c"><failure/></testcase>
        <testcase name="d"><failure message="one"/><error message="two" type="E"/></testcase>"#).text(), @"
    + s
    failed s::a [T]: no <b> / at all
    failed s::b [JUnit::Error]: x & y
    failed s::c [JUnit::Failure]: no message
    failed s::d [JUnit::Failure]: one /  / also E: two
    - s
    ");
}

#[test]
fn the_text_of_a_failure_is_its_backtrace() {
    let imported =
        cases("<testcase name='a'><failure>\r\nfirst\n\tsecond\n\n</failure></testcase>");
    let lines = imported.failed()[0].backtrace.as_deref().unwrap();
    assert_eq!(lines, ["first", "\tsecond"]);
}

#[test]
fn locations() {
    for (case, start, failure) in [
        (r#"file="C:/x.rb" line="7""#, "C:/x.rb:7", "C:/x.rb:7"),
        (r#"file="x.rb""#, "", ""),
        (r#"line="7""#, "", ""),
        (r#"file="x.rb" line="-7""#, "", ""),
    ] {
        let imported = cases(&format!(
            r#"<testcase name="a" {case}><failure/></testcase>"#
        ));
        assert_eq!(imported.started()[0].location, start, "{case}");
        assert_eq!(imported.failed()[0].location, failure, "{case}");
    }
    let imported = cases(
        r#"<testcase name="a" file="x.py" line="4"><failure>...&#10;x.py:9: E</failure></testcase>"#,
    );
    assert_eq!(imported.started()[0].location, "x.py:4");
    assert_eq!(imported.failed()[0].location, "x.py:9");
    assert_eq!(imported.failed()[0].exception_class.as_deref(), Some("E"));
}

#[test]
fn pytest_counts_lines_from_0() {
    let imported =
        junit(r#"<testsuite name="pytest"><testcase name="a" file="x.py" line="4"/></testsuite>"#);
    assert_eq!(imported.started()[0].location, "x.py:5");
}

#[test]
fn skipped() {
    assert_snapshot!(cases(r#"
        <testcase name="a"><skipped/></testcase>
        <testcase name="b"><skipped message="x">y</skipped></testcase>
        <testcase name="c"><skipped> y </skipped></testcase>
        <testcase name="d"><skipped message="x"/><failure message="no"/></testcase>
        <testcase name="e"><skipped message="x" type="todo"/><failure message="no"/></testcase>"#).text(), @"
    + s
    pending s::a (no reason)
    pending s::b (x)
    pending s::c (y)
    failed s::d [JUnit::Failure]: no
    pending s::e (x)
    - s
    ");
}

#[test]
fn a_test_with_a_status_attribute_of_not_run_has_not_passed() {
    assert_snapshot!(cases(r#"
        <testcase name="a" status="run" result="completed"/>
        <testcase name="b" status="notrun" result="suppressed"/>
        <testcase name="c" status="disabled"/>
        <testcase name="d" status="fail"/>
        <testcase name="e" status="fail"><failure message="no"/></testcase>"#).text(), @"
    + s
    passed s::a
    pending s::b (no reason)
    pending s::c (no reason)
    failed s::d [JUnit::Failure]: no message
    failed s::e [JUnit::Failure]: no
    - s
    ");
}

#[test]
fn reruns_are_attempts() {
    let imported = cases(
        r#"
        <testcase name="a" time="1"><failure message="one"/><rerunFailure message="two" time="2"/><rerunError message="three"/></testcase>
        <testcase name="b"><flakyError message="one"><stackTrace>at a.B.c(B.java:7)</stackTrace></flakyError><flakyFailure message="two"/></testcase>
        <testcase name="c"><rerunFailure message="one"/></testcase>"#,
    );
    assert_snapshot!(imported.text(), @"
    + s
    failed s::a [JUnit::Failure]: one
    failed s::a [JUnit::Failure]: two
    failed s::a [JUnit::Error]: three
    failed s::b [JUnit::Error] at B.java:7: one
    failed s::b [JUnit::Failure] at B.java:7: two
    passed s::b
    failed s::c [JUnit::Failure]: one
    - s
    ");
    assert_eq!(imported.durations(), [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(imported.metadata(), [json!({"command": {"flaky": true}})]);
    let positions: Vec<_> = imported
        .started()
        .iter()
        .map(|started| started.position)
        .collect();
    assert_eq!(positions, [0, 0, 0, 1, 1, 1, 2].map(Some));
}

#[test]
fn output_and_properties() {
    let long = "x".repeat(100_000);
    let imported = cases(&format!(
        r#"<properties><property name="java" value="17"/></properties>
        <testcase name="a"><properties><property name="p">text</property></properties><system-out>out</system-out><system-err>{long}</system-err></testcase>
        <testcase name="b"><skipped/><system-out>why</system-out></testcase>
        <system-out>all</system-out>"#
    ));
    let Event::SuiteStarted(started) = &imported.events[0] else {
        panic!("{:?}", imported.events[0]);
    };
    assert_eq!(
        started.metadata.get("suites"),
        Some(&json!([{"name": "s", "command": {"stdout": "all"}, "properties": {"java": "17"}}]))
    );
    let metadata = &imported.metadata();
    assert_eq!(metadata[0]["properties"], json!({"p": "text"}));
    assert_eq!(metadata[0]["command"]["stdout"], "out");
    assert_eq!(metadata[0]["command"]["truncated"], true);
    let stderr = metadata[0]["command"]["stderr"].as_str().unwrap();
    assert!(stderr.len() < 66_000, "{}", stderr.len());
    assert_eq!(metadata[1], json!({"command": {"stdout": "why"}}));
}

#[test]
fn times_start_with_the_suite_unless_a_case_has_its_own() {
    let imported = junit(
        r#"<testsuites><testsuite name="s" timestamp="2026-01-01T00:00:00">
        <testcase name="a" time="1,000.5"/><testcase name="b" time="1"/>
        <testcase name="c" time="1" timestamp="2026-01-01T01:00:00+01:00"/></testsuite></testsuites>"#,
    );
    let times: Vec<_> = imported
        .events
        .iter()
        .map(|event| event.time().to_string())
        .collect();
    let at = |time: &str| format!("2026-01-01T00:{time}+00:00");
    assert_eq!(
        times,
        [
            "00:00.000",
            "00:00.000",
            "00:00.000",
            "16:40.500",
            "16:40.500",
            "16:41.500",
            "00:00.000",
            "00:01.000",
            "16:41.500",
            "16:41.500",
        ]
        .map(at)
    );
}

#[test]
fn without_a_timestamp_the_run_begins_now() {
    let imported = cases(r#"<testcase name="a" time="1"/>"#);
    let times: Vec<_> = imported
        .events
        .iter()
        .map(|event| event.time().to_string())
        .collect();
    assert_eq!(times[0], "2026-11-15T12:00:00.000+00:00");
    assert_eq!(times[3], "2026-11-15T12:00:01.000+00:00");
}

#[test]
fn overflowing_failure_counts_fail_each_suite_once() {
    let suite = format!(r#"<testsuite name="x" failures="{}"/>"#, u64::MAX);
    assert_eq!(cases(&suite.repeat(2)).failed().len(), 2);
}

#[test]
fn failures_counted_but_not_contained_fail_the_run_once() {
    assert_snapshot!(junit("<testsuites failures='2' errors='1'>\n<testsuite name='s' errors='1' failures='1'><testcase name='a'><failure message='no'/></testcase></testsuite></testsuites>").text(), @"
    + s
    failed s::a [JUnit::Failure]: no
    failed s::(suite) [JUnit::SuiteError]: the suite counts 1 more failure than its test cases contain
    - s
    failed (suite) [JUnit::SuiteError]: the suite counts 1 more failure than its test cases contain
    ! 2: the suite counts 1 more failure than its test cases contain
    ! 1: the suite counts 1 more failure than its test cases contain
    ");
}

#[test]
fn contained_failures_are_not_reported_twice() {
    assert_snapshot!(junit("<testsuite failures='1' errors='2'><testcase name='a'><failure message='no'/><rerunFailure message='no'/></testcase><testcase name='b'><flakyError message='no'/></testcase></testsuite>").problems.len(), @"0");
    assert_snapshot!(junit("<testsuite failures='soon'/>").problems.len(), @"0");
}

#[test]
fn a_failure_of_the_suite_itself_is_reported() {
    assert_snapshot!(junit("<testsuite name='s' errors='1'><testcase name='a'/><error message='no class'>x</error></testsuite>").text(), @"
    + s
    passed s::a
    failed s::(suite) [JUnit::Error]: no class
    - s
    ! 1: the suite itself failed: no class
    ");
}

#[test]
fn invalid_files_are_rejected() {
    assert_snapshot!(error("<html/>"), @"not JUnit XML: its root is `html`, not `testsuites` or `testsuite`");
    assert!(matches!(try_junit("<a/>"), Err(JunitError::NotJunit { root }) if root == "a"));
    assert_snapshot!(error(""), @"line 1: no XML element found");
    assert_snapshot!(error("{\"a\":\n1}"), @"line 2: no XML element found");
    assert_snapshot!(error("<testsuite>\n<testcase name='a'>\n"), @"line 3: the document ends before all elements are closed");
    assert_snapshot!(error("<testsuite>\n</testcase>"), @"line 2: ill-formed document: expected `</testsuite>`, but `</testcase>` was found");
    assert_snapshot!(error("<testsuite name='a"), @"line 1: syntax error: attribute value not closed: `'` not found before end of input");
    assert!(error("<testsuite name=a/>").starts_with("line 1: "));
}

#[test]
fn encodings() {
    let imported = junit(
        "\u{feff}<?xml version='1.0' encoding='utf-8'?><testsuite><testcase name='é'/></testsuite>",
    );
    assert_eq!(imported.started()[0].description, "é");
    let latin: &[u8] = b"<?xml version='1.0' encoding='ISO-8859-1'?><testsuite><testcase name='caf\xe9'/></testsuite>";
    assert_eq!(junit(latin).started()[0].description, "café");
    let wide = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><testsuite>\n<testcase name='é'></testsuite>";
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_snapshot!(error(&wide), @"line 2: ill-formed document: expected `</testcase>`, but `</testsuite>` was found");
    assert_snapshot!(error("<?xml version='1.0' encoding='EBCDIC'?><testsuite/>"), @"line 1: unsupported encoding EBCDIC; convert the file to UTF-8");
    assert_snapshot!(error(b"<testsuite>\n<testcase name='\xe9'/></testsuite>"), @"line 2: not valid UTF-8; convert the file to UTF-8");
    assert_snapshot!(error(b"\xff\xfe<\0t\0\0"), @"line 1: not valid UTF-16; convert the file to UTF-8");
}

#[test]
fn entities() {
    let imported = cases(
        "<testcase name='a &amp; &#x62; &c; &'><failure>&lt;x&gt; & &#9731; &nope;</failure></testcase>",
    );
    assert_eq!(imported.started()[0].description, "a &amp; &#x62; &c; &");
    assert_eq!(
        imported.failed()[0].message.as_deref(),
        Some("<x> & ☃ &nope;")
    );
    let imported = cases("<testcase name='a &amp; &#x62;'/>");
    assert_eq!(imported.started()[0].description, "a & b");
}

#[test]
fn entities_of_a_dtd_are_not_expanded() {
    let mut laughs = vec!["<!DOCTYPE testsuite [<!ENTITY lol0 'lol'>".to_owned()];
    for level in 1..20 {
        let one = format!("&lol{};", level - 1);
        laughs.push(format!("<!ENTITY lol{level} '{}'>", one.repeat(10)));
    }
    let laughs = laughs.concat();
    let imported = junit(format!(
        "{laughs}]><testsuite><testcase name='&lol19;'><failure>&lol19;</failure></testcase></testsuite>"
    ));
    assert_eq!(imported.failed()[0].message.as_deref(), Some("&lol19;"));
}

#[test]
fn nesting_is_bounded() {
    assert_snapshot!(error("<testsuite>".repeat(100_000)), @"line 1: elements are nested deeper than 256 levels");
    let (open, close) = ("<testsuite>".repeat(250), "</testsuite>".repeat(250));
    assert_eq!(
        junit(format!("{open}<testcase name='a'/>{close}"))
            .started()
            .len(),
        1
    );
}

#[test]
fn size_is_not_bounded() {
    let many = 100_000;
    let attributes: Vec<_> = (0..many).map(|number| format!(" a{number}=''")).collect();
    let attributes = attributes.concat();
    let references = "&amp;".repeat(many);
    let ampersands = "&".repeat(many);
    let imported = cases(&format!(
        "<testcase name='a'{attributes}><failure message='{references}'>{references}{ampersands}</failure></testcase>"
    ));
    assert_eq!(imported.failed()[0].message.as_ref().unwrap().len(), many);
    assert_eq!(
        imported.failed()[0].backtrace.as_ref().unwrap()[0].len(),
        2 * many
    );
}
