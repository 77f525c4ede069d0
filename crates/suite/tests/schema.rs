//! Tests the JSON Schema with an independent validator.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::collections::BTreeMap;

use casebook_source::SourceFile;
use casebook_source::yaml::{self, Node, NodeKind};
use casebook_suite::{CheckContext, check, deny_files, schema};
use serde_json::{Map, Value};

/// The document as JSON, with types as in an editor's YAML parser.
fn to_json(node: &Node) -> Value {
    match &node.kind {
        NodeKind::List(nodes) => nodes.iter().map(to_json).collect(),
        NodeKind::Map(entries) => {
            let fields = entries
                .iter()
                .map(|entry| (entry.key.to_string(), to_json(&entry.value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        NodeKind::Scalar(_) if node.is_null() => Value::Null,
        NodeKind::Scalar(scalar) if scalar.plain => {
            serde_json::from_str(&scalar.text).unwrap_or_else(|_| Value::from(scalar.text.clone()))
        }
        NodeKind::Scalar(scalar) => Value::from(scalar.text.clone()),
    }
}

fn schema_accepts(text: &str) -> bool {
    let file = SourceFile::new("a.yaml", text);
    let parsed = yaml::parse(&file);
    let document = to_json(&parsed.documents[0]);
    jsonschema::validator_for(&schema())
        .unwrap()
        .is_valid(&document)
}

fn checker_accepts(text: &str) -> bool {
    let environment = BTreeMap::new();
    let context = CheckContext {
        environment: &environment,
        stem: "a",
        read: &deny_files,
    };
    check(SourceFile::new("a.yaml", text), &context)
        .suite
        .is_some()
}

#[test]
fn the_schema_is_valid() {
    assert!(jsonschema::meta::is_valid(&schema()));
}

#[test]
fn valid_suites_are_accepted_by_both() {
    for text in [
        "tests: [{name: a, command: b}]",
        "x-mine: {any: [thing]}\ntests: [{name: 1, command: true, exitCode: 0, timeout: 1.5}]",
        "variables: {code: 1, t: 2s, b: true}\ntests: [{name: a, command: b, exitCode: '{{code}}', timeout: '{{t}}', only: '{{b}}'}]",
        "fragments: {f-1: {name: n, command: c}}\ntests: [{$ref: f-1}, {name: a, $ref: ['#/fragments/f-1']}]",
        "matrix: {n: [1, two]}\nenv: {A: , B: 1}\ntags: [a]\nredact: ['*X*']\ntests: [{name: '{{n}}', command: b}]",
        "tests: [{name: a, command: b, outputEquals: '', outputContains: [x, 1], outputMatches: ^a, stderr: ''}]",
        "tests: [{name: a, command: b, outputJson: {'': 1, /a: [null]}, files: {f: {exists: true}}, snapshot: true}]",
        "tests: [{name: a, command: b, skip: because, retries: 3, covers: {role: admin}, workdir: x, stdin: ''}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b, expect: [{contains: c}, {turns: 1}], evaluate: {maxLength: 5}}], trials: 2}]",
        "agent: {http: {url: 'http://a', headers: {b: c}, timeout: 2}}\ntools: [t]\ntests: [{name: a, conversation: [{user: b, expect: {called: {tool: t, with: {x: {min: 1}}, times: {max: 2}, failed: true}}}]}]",
        "agent: {openai: {url: 'http://a', model: m}}\nllm: {provider: scripted, user: [a], verdicts: {c: [true, inconclusive], d: false}}\ncriteria: {c: C, d: {description: D, good: [x], edge: [{text: y, verdict: true}]}}\nsimulator: {role: r, personality: p, rules: {should: [s]}, maxTurns: '{{n}}', stopWhen: {called: [t, u]}}\nvariables: {n: 3}\ntests: [{name: a, simulate: {goal: g}, scenarios: [{name: n, goal: g}], expect: [{satisfies: [c, d]}, {latency: {max: 500ms}}]}]",
        "agent: {command: a}\ntopics: {a: {description: A, next: [b]}, b: {description: B, triggers: [{afterTurns: 1}, {called: t}], expect: {topics: [a, b]}}}\njudge: {votes: 3, self: true}\nllm: {provider: openai, model: m, price: {input: 0.5}}\ntests: [{name: a, simulate: {goal: g}, during: {b: {shouldNot: x}}}]",
        "tests: [{name: a, command: b, exitCode: [1, '2'], maxDuration: 2s, outputContains: y, ignoreCase: true, fails: x, requires: [a, b], skipUnless: c}]",
        "tests: [{name: a, command: b, exitCode: nonzero, requires: a, outputLines: {min: 1}, outputLine: {1: a, -1: ''}}, {name: c, command: d, signal: TERM}]",
        "tests: [{name: a, command: b, outputJsonMatches: {'': {type: 'null'}, /a: {oneOf: [null, {b: 1}], type: object}, /c: {length: {min: 1}, contains: [x]}, /d: {absent: true}, /e: {matches: '^x', length: 3}}}]",
        "isolate: true\nunset: [A]\ntests: [{name: a, command: b, outputEqualsFile: x, workdir: {copy: y}, isolate: false, unset: [B]}, {name: c, command: d, workdir: {empty: true}}]",
        "tests: [{name: a, command: b, files: {f: {equalsFile: x, notContains: [y], mode: '0644', json: {/a: 1}}, g: {equalsFolder: z, mode: 755}}}]",
        "services: {api: {command: 'a {{services.api.port}}', env: {A: 1}, workdir: w, ready: {http: 'http://a', status: 204}, within: 2s, scope: test, stop: {signal: INT, within: 1}, needs: [db]}, db: {command: b, ready: {port: '{{services.db.port}}'}}}\ntests: [{name: a, command: b, uses: [api]}]",
        "locks: [db, {room: shared}]\nvariables: {n: 1}\ntests: [{name: a, command: b, locks: ['db-{{n}}', {room: shared}]}]",
        "tests: [{name: a, command: b, tty: true, screenContains: [x], screenEquals: '', screenMatches: ^a}, {name: c, command: d, tty: {columns: 5, rows: '{{n}}'}}]\nvariables: {n: 3}",
        "tests: [{name: a, command: b, tty: {}, dialogue: [{expect: x, within: 2s, send: y, keys: [enter, f12]}, {sendLine: 1, keys: ctrl-c}, {resize: {columns: 1, rows: 1000}}]}]",
        "tests: [{name: a, steps: [{command: b, tty: true, dialogue: [{keys: up}], screenContains: c}]}]",
        "parallel: false\nsetup: a\nteardownEach: b\nsetupFile: c\nteardownFile: d\ntimeout: 500ms\ntests: [{name: a, command: b}]",
    ] {
        assert!(checker_accepts(text), "checker: {text}");
        assert!(schema_accepts(text), "schema: {text}");
    }
}

#[test]
fn the_checker_rejects_what_the_schema_rejects() {
    for text in [
        "services: {a: {command: ''}}\ntests: [{name: a, command: b}]",
        "services: {a: {command: a, ready: {port: 70000}}}\ntests: [{name: a, command: b}]",
        "services: {a: {command: a, stop: {signal: 9}}}\ntests: [{name: a, command: b}]",
        "services: {a: {command: a, scope: suite}}\ntests: [{name: a, command: b}]",
        "services: [a]\ntests: [{name: a, command: b}]",
        "services: {a: {command: a}}\ntests: [{name: a, command: b, uses: a}]",
        "name: x",
        "tests: []",
        "tests: {}",
        "tests: [x]",
        "tests: [{name: a}]",
        "tests: [{command: a}]",
        "test: [{name: a, command: b}]",
        "tests: [{name: a, command: b, outputContain: c}]",
        "tests: [{name: a, command: b, exitCode: 256}]",
        "tests: [{name: a, command: b, exitCode: -1}]",
        "tests: [{name: a, command: b, exitCode: one}]",
        "tests: [{name: a, command: b, exitCode: [256]}]",
        "tests: [{name: a, command: b, exitCode: []}]",
        "tests: [{name: a, command: b, outputLines: {lines: 1}}]",
        "tests: [{name: a, command: b, outputJsonMatches: {/a: 1}}]",
        "tests: [{name: a, command: b, outputJsonMatches: {/a: {kind: x}}}]",
        "tests: [{name: a, command: b, outputJsonMatches: {/a: {type: text}}}]",
        "tests: [{name: a, command: b, fails: ''}]",
        "tests: [{name: a, command: b, requires: []}]",
        "tests: [{name: a, command: b, workdir: {copy: ''}}]",
        "tests: [{name: a, command: b, unset: A}]",
        "tests: [{name: a, command: b, files: {f: {json: {a: 1}}}}]",
        "tests: [{name: a, command: b, timeout: 0}]",
        "tests: [{name: a, command: b, timeout: soon}]",
        "tests: [{name: a, command: b, outputContains: ''}]",
        "tests: [{name: a, command: b, outputContains: []}]",
        "tests: [{name: a, command: b, outputEquals: [x]}]",
        "tests: [{name: a, command: b, only: maybe}]",
        "tests: [{name: a, command: b, tags: x}]",
        "locks: db\ntests: [{name: a, command: b}]",
        "tests: [{name: a, command: b, locks: []}]",
        "tests: [{name: a, command: b, locks: [{db: read}]}]",
        "tests: [{name: a, command: b, locks: [[db]]}]",
        "include: a.yaml\ntests: [{name: a, command: b}]",
        "tests: [{name: a, command: b, env: [x]}]",
        "tests: [{name: a, command: b, outputJson: {a: 1}}]",
        "tests: [{name: a, command: b, files: {f: {}}}]",
        "tests: [{name: a, command: b, files: {f: {exist: true}}}]",
        "tests: [{name: a, command: b, matrix: {n: []}}]",
        "fragments: {a b: {}}\ntests: [{name: a, command: b}]",
        "fragments: {f: {comand: x}}\ntests: [{name: a, command: b}]",
        "tests: [{name: '', command: b}]",
        "tests: [{name: a, command: b, tty: maybe}]",
        "tests: [{name: a, command: b, tty: {columns: 0}}]",
        "tests: [{name: a, command: b, tty: {rows: 1001}}]",
        "tests: [{name: a, command: b, tty: {width: 10}}]",
        "tests: [{name: a, command: b, tty: true, dialogue: []}]",
        "tests: [{name: a, command: b, tty: true, dialogue: {expect: c}}]",
        "tests: [{name: a, command: b, tty: true, dialogue: [c]}]",
        "tests: [{name: a, command: b, tty: true, dialogue: [{expct: c}]}]",
        "tests: [{name: a, command: b, tty: true, dialogue: [{expect: ''}]}]",
        "tests: [{name: a, command: b, tty: true, dialogue: [{keys: entr}]}]",
        "tests: [{name: a, command: b, tty: true, dialogue: [{keys: []}]}]",
        "tests: [{name: a, command: b, tty: true, dialogue: [{expect: c, within: soon}]}]",
        "agent: a\ntests: [{name: a, conversation: [{user: b}]}]",
        "agent: {comand: a}\ntests: [{name: a, conversation: [{user: b}]}]",
        "agent: {command: a}\ntests: [{name: a, conversation: []}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [b]}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b, expect: []}]}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b, expect: [{}]}]}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b, expect: [{contain: c}]}]}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b, expect: [{cost: {}}]}]}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b, expect: [{called: {tool: t, wth: {}}}]}]}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b}], trials: 0}]",
        "agent: {command: a}\nllm: {provider: other, model: m}\ntests: [{name: a, conversation: [{user: b}]}]",
        "agent: {command: a}\ntopics: {a: {description: A, triggers: [{x: 1}]}}\ntests: [{name: a, conversation: [{user: b}]}]",
        "agent: {command: a}\nllm: {provider: anthropic, model: m}\ntests: [{name: a, simulate: {goal: g, maxTurns: 0}}]",
        "agent: {command: a}\ntests: [{name: a, conversation: [{user: b}], scenarios: [x]}]",
    ] {
        assert!(!schema_accepts(text), "schema: {text}");
        assert!(!checker_accepts(text), "checker: {text}");
    }
}
