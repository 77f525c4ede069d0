//! Analysis, validation, and reading the files with Ruby's YAML.

use super::{CART, METADATA, project};

#[test]
fn analyze_writes_validates_and_prints_the_path() {
    let project = project(CART);
    let outcome = project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    assert_eq!(
        (outcome.stdout.as_str(), outcome.stderr.as_str()),
        (format!("[project]/{METADATA}\n").as_str(), "")
    );
    let text = project.read(METADATA);
    let stable: String = text
        .lines()
        .map(|line| match line.trim_start().split(':').next() {
            Some("timestamp" | "source_file_mtime") => {
                format!("{}: […]\n", line.split(':').next().unwrap())
            }
            _ => format!("{line}\n"),
        })
        .collect();
    insta::assert_snapshot!(stable);
    let printed = project
        .casebook("design analyze lib/cart.rb#total --print")
        .run()
        .exits(0);
    assert_eq!(printed.stdout, text);
}

#[test]
fn fresh_metadata_is_kept_until_forced() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let marked = format!("# mine\n{}", project.read(METADATA));
    project.write(METADATA, &marked);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    assert_eq!(project.read(METADATA), marked);
    let flagged = marked.replace(
        "  analyzer_completed",
        "  polisher_completed: true\n  kept: me\n  analyzer_completed",
    );
    project.write(METADATA, flagged);
    project
        .casebook("design analyze lib/cart.rb --force")
        .run()
        .exits(0);
    let again = project.read(METADATA);
    assert!(again.starts_with("# mine\n"), "{again}");
    assert!(
        again.contains("kept: me") && !again.contains("polisher_completed"),
        "{again}"
    );
}

#[test]
fn several_methods_are_listed_and_no_condition_is_a_warning() {
    let project = project("class Cart; def a; end; def b; end; end\n");
    let outcome = project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(1);
    assert_eq!(
        outcome.stderr,
        "Error: lib/cart.rb: several public methods found; name one, as in `lib/cart.rb#a`, or analyze all with `casebook design analyze --all lib/cart.rb`\nMethods found:\n  Cart#a\n  Cart#b\n"
    );
    let outcome = project
        .casebook("design analyze lib/cart.rb#b")
        .run()
        .exits(2);
    assert_eq!(outcome.stdout, format!("[project]/{METADATA}\n"));
    assert_eq!(
        outcome.stderr,
        "Warning: no conditions found in Cart#b, so it has no characteristics\n"
    );
    assert!(project.read(METADATA).contains("characteristics: []"));
}

#[test]
fn strict_1_3_allows_one_parent_state() {
    let ruby = "class Cart; def a(s); s.b? ? (s.m? ? 1 : 2) : (s.m? ? 3 : 4); end; end\n";
    let project = project(ruby);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    assert!(project.read(METADATA).contains("when_parent: [b, not_b]"));
    let outcome = project
        .casebook("design analyze lib/cart.rb --strict --force")
        .run()
        .exits(2);
    assert!(
        outcome.stderr.contains("format 1.3 allows only one"),
        "{}",
        outcome.stderr
    );
    assert!(project.read(METADATA).contains("when_parent: b\n"));
}

#[test]
fn validate_answers_with_json_or_with_groups_of_errors() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let good = project.read(METADATA);
    let validate = || {
        project
            .casebook(&format!("design validate {METADATA}"))
            .run()
    };
    let outcome = validate().exits(0);
    assert_eq!(
        outcome.stdout,
        format!(
            "{{\"valid\":true,\"errors\":[],\"warnings\":[],\"metadata_path\":\"[project]/{METADATA}\"}}\n"
        )
    );
    assert_eq!(project.read(METADATA), good);
    project.write(
        METADATA,
        good.replace("file: lib/cart.rb", "file: lib/gone.rb"),
    );
    let outcome = validate().exits(2);
    assert_eq!(
        outcome.stderr,
        "Warning: target.file does not exist, got: lib/gone.rb\n"
    );
    project.write(
        METADATA,
        good.replace("level: 1", "level: 4")
            .replace("test_level: unit", ""),
    );
    let outcome = validate().exits(1);
    assert_eq!(outcome.stdout, "");
    insta::assert_snapshot!(outcome.stderr);
    assert!(project.read(METADATA).contains("validation_passed: false"));
}

/// Text that YAML 1.1 reads as booleans or numbers remains text in both directions.
#[test]
fn documents_survive_rubys_yaml() {
    let ruby = "class Cart\n  def a(by)\n    case by\n    when 'no' then 1\n    when 'on' then 2\n    when 1 then 3\n    when nil then 4\n    when 'null' then 5\n    when '2026-11-15' then 6\n    end\n  end\nend\n";
    let project = project(ruby);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let script = format!(
        "ruby -ryaml -e 'd = YAML.load_file(ARGV[0]); p d[\"characteristics\"][0][\"states\"]; File.write(ARGV[0], YAML.dump(d))' {METADATA}"
    );
    let outcome = project.bash(&script).run().exits(0);
    assert_eq!(
        outcome.stdout,
        "[\"no\", \"on\", \"1\", \"nil\", \"null\", \"2026_11_15\"]\n"
    );
    assert!(project.read(METADATA).starts_with("---\n"));
    project
        .casebook(&format!("design validate {METADATA}"))
        .run()
        .exits(0);
    project
        .casebook("design skeleton lib/cart.rb")
        .run()
        .exits(0);
    let outcome = project.bash(&format!(
        "ruby -ryaml -e 'p YAML.load_file(ARGV[0])[\"automation\"][\"skeleton_file\"]' {METADATA}"
    ));
    assert_eq!(outcome.run().exits(0).stdout, "\"spec/lib/cart_spec.rb\"\n");
}

#[test]
fn all_files_of_a_directory_are_analyzed() {
    let project = project(CART);
    project.write(
        "lib/deep/b.rb",
        "module B; def self.c(x) = x ? 1 : 2; end\n",
    );
    project.write("lib/none.rb", "X = 1\n");
    project.write("lib/broken.rb", "def (\n");
    let outcome = project.casebook("design analyze lib").run().exits(2);
    assert_eq!(
        outcome.stdout,
        "[project]/tmp/rspec_metadata/lib_cart.yml\n[project]/tmp/rspec_metadata/lib_deep_b.yml\n"
    );
    assert!(
        outcome.stderr.starts_with("Warning: "),
        "{}",
        outcome.stderr
    );
    let plugin = "tmp/rspec_metadata/lib_cart.yml";
    project
        .casebook(&format!("design validate {plugin}"))
        .run()
        .exits(0);
    let broken = project.read(plugin).replace("type: enum", "type: odd");
    project.write(plugin, broken);
    let outcome = project
        .casebook(&format!("design validate {plugin}"))
        .run()
        .exits(1);
    assert!(
        outcome
            .stderr
            .contains("methods[0].characteristics[1].type must be one of boolean"),
        "{}",
        outcome.stderr
    );
    let skeleton = project
        .casebook("design skeleton tmp/rspec_metadata/lib_deep_b.yml --comments")
        .run()
        .exits(0);
    assert_eq!(skeleton.stdout, "[project]/spec/lib/deep/b_spec.rb\n");
    assert!(
        project
            .read("spec/lib/deep/b_spec.rb")
            .contains("context 'when x absent' do")
    );
}

/// The steps do not work with metadata that breaks the rules. Each error is reported once, and nothing is written.
#[test]
fn every_step_rejects_invalid_metadata() {
    let project = project(CART);
    project
        .casebook("design pipeline lib/cart.rb#total")
        .run()
        .exits(0);
    let cyclic = project.read(METADATA).replacen(
        "depends_on: null\n    when_parent: null",
        "depends_on: user_role\n    when_parent: vip",
        1,
    );
    project.write(METADATA, &cyclic);
    let spec = project.read("spec/lib/cart_spec.rb");
    for step in [
        "skeleton lib/cart.rb",
        "skeleton --mode blocks lib/cart.rb",
        "mark polisher lib/cart.rb",
        "architect lib/cart.rb",
        "implement lib/cart.rb",
        "optimize lib/cart.rb",
        "polish lib/cart.rb",
    ] {
        let outcome = project.casebook(&format!("design {step}")).run().exits(1);
        let expected = format!(
            "Error: [project]/{METADATA} is not valid metadata:\n  \
             - characteristics[0].depends_on must not be circular, got: user_present -> user_role -> user_present\n\
             Correct it, or run `casebook design analyze` again\n"
        );
        assert_eq!(
            (outcome.stdout.as_str(), outcome.stderr),
            ("", expected),
            "{step}"
        );
        assert_eq!(project.read(METADATA), cyclic, "{step}");
        assert_eq!(project.read("spec/lib/cart_spec.rb"), spec, "{step}");
    }
}

#[test]
fn mark_does_not_accept_values_that_make_metadata_invalid() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let before = project.read(METADATA);
    let outcome = project
        .casebook("design mark analyzer lib/cart.rb --set test_level=integration1")
        .run()
        .exits(1);
    assert!(
        outcome.stderr.contains(
            "  - test_level must be one of unit, integration, request, e2e, got: integration1\n"
        ),
        "{outcome:#?}"
    );
    assert_eq!(project.read(METADATA), before);
}
