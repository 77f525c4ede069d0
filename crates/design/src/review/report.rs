//! Formats a review as a Markdown page.

use std::fmt::Write as _;

use super::{CHECKS, Finding, Review, Severity};

/// The page. `file` is the path as the user gave it, `time` the time of the review.
pub fn report(review: &Review, file: &str, time: &str) -> String {
    let mut page = format!(
        "# Review of {file}\n\n- File: {file}\n- Time: {time}\n- Status: {}\n\n## Counts\n\n| severity | findings |\n|---|---|\n",
        review.status()
    );
    for (severity, title) in SEVERITIES {
        let _ = writeln!(
            page,
            "| {} | {} |",
            title.to_lowercase(),
            review.count(severity)
        );
    }
    for (severity, title) in SEVERITIES {
        let found = review
            .findings
            .iter()
            .filter(|finding| finding.severity == severity && !is_time(finding));
        section(&mut page, title, found);
    }
    section(
        &mut page,
        "Time handling",
        review.findings.iter().filter(|finding| is_time(finding)),
    );
    recommendations(&mut page, review);
    passed(&mut page, review);
    page
}

const SEVERITIES: [(Severity, &str); 3] = [
    (Severity::Violation, "Violations"),
    (Severity::Warning, "Warnings"),
    (Severity::Suggestion, "Suggestions"),
];

fn is_time(finding: &Finding) -> bool {
    finding.check.slug.starts_with("time-") || finding.check.slug == "frozen-time"
}

fn section<'f>(page: &mut String, title: &str, findings: impl Iterator<Item = &'f Finding>) {
    let _ = write!(page, "\n## {title}\n\n");
    let mut is_empty = true;
    for finding in findings {
        is_empty = false;
        let check = finding.check;
        let label = if check.is_heuristic {
            "; a heuristic, which may be wrong here"
        } else {
            ""
        };
        let _ = write!(
            page,
            "### {} (line {})\n\n- Rule: {}{label}\n- Issue: {}\n- Why: {}\n- Fix: {}\n\n",
            check.slug,
            finding.line,
            check.rules(),
            finding.issue,
            check.why,
            check.fix
        );
    }
    if is_empty {
        page.push_str("None.\n");
    }
}

fn recommendations(page: &mut String, review: &Review) {
    page.push_str("\n## Recommendations\n\n");
    let mut listed: Vec<&str> = Vec::new();
    let mut findings: Vec<&Finding> = review.findings.iter().collect();
    findings.sort_by_key(|finding| finding.severity);
    for finding in findings {
        if listed.contains(&finding.check.slug) {
            continue;
        }
        listed.push(finding.check.slug);
        let priority = match finding.severity {
            Severity::Violation => "high",
            Severity::Warning => "medium",
            Severity::Suggestion => "low",
        };
        let _ = writeln!(
            page,
            "- {priority}: {} ({})",
            finding.check.fix, finding.check.slug
        );
    }
    if listed.is_empty() {
        page.push_str("None.\n");
    }
}

fn passed(page: &mut String, review: &Review) {
    page.push_str("\n## Passed\n\n");
    for check in &CHECKS {
        if review
            .findings
            .iter()
            .all(|finding| finding.check.slug != check.slug)
        {
            let _ = writeln!(page, "- {}", check.slug);
        }
    }
}
