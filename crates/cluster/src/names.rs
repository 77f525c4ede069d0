//! [`Names`]: the streams and subjects of a cluster. All start with its name, so projects can share a server.

/// The durable consumer from which all workers take chunks.
pub(crate) const CONSUMER: &str = "workers";

/// The names of one cluster.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    cluster: String,
}

impl Names {
    /// Returns why `cluster` cannot be part of a subject, or the names.
    pub(crate) fn new(cluster: &str) -> Result<Names, String> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if cluster.is_empty() || !cluster.chars().all(is_allowed) {
            return Err(format!(
                "the cluster name `{cluster}` must consist of ASCII letters, digits, `-` and `_`"
            ));
        }
        Ok(Names {
            cluster: cluster.to_owned(),
        })
    }

    pub(crate) fn work_stream(&self) -> String {
        format!("CASEBOOK_{}_WORK", self.cluster)
    }

    pub(crate) fn event_stream(&self) -> String {
        format!("CASEBOOK_{}_EVENTS", self.cluster)
    }

    pub(crate) fn bucket(&self) -> String {
        format!("CASEBOOK_{}", self.cluster)
    }

    /// The chunk of a run, or with `*` all of them.
    pub(crate) fn work(&self, run: &str, chunk: &str) -> String {
        format!("cb.{}.{run}.work.{chunk}", self.cluster)
    }

    /// The events of one attempt to run a chunk.
    pub(crate) fn events(&self, run: &str, chunk: &str, attempt: &str) -> String {
        format!("cb.{}.{run}.ev.{chunk}.{attempt}", self.cluster)
    }

    /// Where the end of a chunk is committed, at most once.
    pub(crate) fn done(&self, run: &str, chunk: &str) -> String {
        format!("cb.{}.{run}.done.{chunk}", self.cluster)
    }

    /// All events and results of all runs.
    pub(crate) fn all_runs(&self) -> String {
        format!("cb.{}.>", self.cluster)
    }

    /// The run of a subject.
    pub(crate) fn run(subject: &str) -> Option<&str> {
        subject.split('.').nth(2)
    }

    /// The run of a message or an object, from its id.
    pub(crate) fn run_of(id: &str) -> &str {
        id.split('/').next().unwrap_or_default()
    }

    /// Stop requests, which are not stored.
    pub(crate) fn stop(&self, run: &str) -> String {
        format!("cb.{}.{run}.stop", self.cluster)
    }

    /// Signs of life of the workers, which are not stored.
    pub(crate) fn presence(&self, worker: &str) -> String {
        format!("cb.{}.presence.{worker}", self.cluster)
    }

    /// Asks all workers for a sign of life.
    pub(crate) fn ping(&self) -> String {
        format!("cb.{}.ping", self.cluster)
    }

    /// The server's message that a chunk was delivered as often as allowed.
    pub(crate) fn max_deliveries(&self) -> String {
        format!(
            "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{}.{CONSUMER}",
            self.work_stream()
        )
    }
}

/// What a message of a run is about, according to its subject.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RunSubject<'s> {
    Events { chunk: &'s str, attempt: u64 },
    Done { chunk: &'s str },
}

impl RunSubject<'_> {
    pub(crate) fn parse(subject: &str) -> Option<RunSubject<'_>> {
        let mut parts = subject.split('.').skip(3);
        let (kind, chunk) = (parts.next()?, parts.next()?);
        match kind {
            "ev" => Some(RunSubject::Events {
                chunk,
                attempt: parts.next()?.parse().ok()?,
            }),
            "done" => Some(RunSubject::Done { chunk }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_understood_again() {
        let names = Names::new("shop").unwrap();
        assert_eq!(
            RunSubject::parse(&names.events("run-1", "c7", "2")),
            Some(RunSubject::Events {
                chunk: "c7",
                attempt: 2
            })
        );
        assert_eq!(
            RunSubject::parse(&names.done("run-1", "c7")),
            Some(RunSubject::Done { chunk: "c7" })
        );
        assert_eq!(RunSubject::parse(&names.stop("run-1")), None);
    }

    #[test]
    fn names_that_would_change_a_subject_are_rejected() {
        for bad in ["", "a.b", "a b", "*", "a>", "ä"] {
            assert!(Names::new(bad).is_err(), "{bad}");
        }
    }
}
