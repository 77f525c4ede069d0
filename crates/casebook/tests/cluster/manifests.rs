//! The manifests in docs/cluster are what Docker Compose and Kubernetes accept, as far as that can be known without them,
//! and call casebook with options that it has.

use std::fs;
use std::path::Path;

use casebook_source::SourceFile;
use casebook_source::yaml::{self, Node};

use crate::support::Project;

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cluster");
    fs::read_to_string(path.join(file)).unwrap()
}

/// Calls `check` with each document of a file.
fn documents(file: &str, check: impl FnMut(&Node<'_>)) {
    let source = SourceFile::new(file, read(file));
    let parsed = yaml::parse(&source);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.documents.iter().for_each(check);
}

/// The value at a path of keys; a number is an index of a list.
fn at<'n, 'f>(node: &'n Node<'f>, path: &str) -> Option<&'n Node<'f>> {
    path.split('.')
        .try_fold(node, |node, key| match key.parse::<usize>() {
            Ok(index) => node.as_list()?.get(index),
            Err(_) => node.get(key),
        })
}

fn text<'n>(node: &'n Node<'_>, path: &str) -> &'n str {
    let found = at(node, path).and_then(Node::as_text);
    found.unwrap_or_else(|| panic!("no {path}"))
}

fn words<'n>(node: &'n Node<'_>, path: &str) -> Vec<&'n str> {
    let list = at(node, path).and_then(Node::as_list).unwrap_or_default();
    list.iter().filter_map(Node::as_text).collect()
}

/// Casebook knows these arguments. With `--help`, it does nothing with them.
fn casebook_accepts(command: &[&str]) {
    let (program, arguments) = command.split_first().unwrap();
    assert_eq!(*program, "casebook");
    let project = Project::new();
    let help = project.casebook(&format!("{} --help", arguments[0])).run();
    let help = help.exits(0).stdout;
    for option in arguments.iter().filter(|word| word.starts_with("--")) {
        assert!(help.contains(option), "{option}: {help}");
    }
}

#[test]
fn the_compose_file_starts_a_queue_and_workers() {
    documents("compose.yaml", |file| {
        let queue = at(file, "services.queue").unwrap();
        assert!(text(queue, "image").starts_with("nats:"));
        assert!(words(queue, "command").contains(&"--jetstream"));
        let worker = at(file, "services.worker").unwrap();
        assert_eq!(words(worker, "depends_on"), ["queue"]);
        assert_eq!(text(worker, "network_mode"), "service:queue");
        casebook_accepts(&words(worker, "command"));
        let volume = words(queue, "volumes")[0].split(':').next().unwrap();
        assert!(at(file, &format!("volumes.{volume}")).is_some());
    });
}

#[test]
fn the_kubernetes_manifest_has_workers_and_a_run() {
    let mut kinds = Vec::new();
    documents("kubernetes.yaml", |resource| {
        let kind = text(resource, "kind").to_owned();
        let api = text(resource, "apiVersion");
        text(resource, "metadata.name");
        match kind.as_str() {
            "Deployment" => {
                assert_eq!(api, "apps/v1");
                assert_eq!(
                    text(resource, "spec.selector.matchLabels.app"),
                    text(resource, "spec.template.metadata.labels.app")
                );
                check_pod(at(resource, "spec.template.spec").unwrap());
            }
            "Job" => {
                assert_eq!(api, "batch/v1");
                let pod = at(resource, "spec.template.spec").unwrap();
                // Required by a pod failure policy.
                assert_eq!(text(pod, "restartPolicy"), "Never");
                assert!(at(resource, "spec.podFailurePolicy.rules.0.onExitCodes").is_some());
                check_pod(pod);
            }
            _ => assert_eq!(api, "v1"),
        }
        kinds.push(kind);
    });
    assert_eq!(kinds, ["Deployment", "Job", "PersistentVolumeClaim"]);
}

/// Every volume that a container mounts exists, and the command is one of ours.
fn check_pod(pod: &Node<'_>) {
    let names = |path: &str, of: &Node<'_>| -> Vec<String> {
        let list = at(of, path).and_then(Node::as_list).unwrap_or_default();
        list.iter()
            .map(|item| text(item, "name").to_owned())
            .collect()
    };
    let container = at(pod, "containers.0").unwrap();
    text(container, "name");
    text(container, "image");
    assert_eq!(names("volumeMounts", container), names("volumes", pod));
    let command = [words(container, "command"), words(container, "args")].concat();
    casebook_accepts(&command);
    for variable in names("env", container) {
        assert!(variable.starts_with("CASEBOOK_CLUSTER_"), "{variable}");
    }
}
