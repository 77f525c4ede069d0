//! The kind of code that a class is, from its directory and its name: rule T8.

/// Kinds of code, each with its directory and the suffix of its class names. The first match is used.
const KINDS: [(&str, &str, &str); 13] = [
    ("controller", "app/controllers/", "Controller"),
    ("channel", "app/channels/", "Channel"),
    ("helper", "app/helpers/", "Helper"),
    ("job", "app/jobs/", "Job"),
    ("mailbox", "app/mailboxes/", "Mailbox"),
    ("policy", "app/policies/", "Policy"),
    ("serializer", "app/serializers/", "Serializer"),
    ("validator", "app/validators/", "Validator"),
    ("worker", "app/workers/", "Worker"),
    ("service", "app/services/", "Service"),
    ("service", "app/interactors/", "Interactor"),
    ("model", "app/models/", ""),
    ("lib", "lib/", ""),
];

/// The kind of code that a class is.
pub fn kind(file: &str, class: &str) -> &'static str {
    let fits = |(_, dir, ending): &&(&str, &str, &str)| {
        file.starts_with(dir)
            || file.contains(&format!("/{dir}"))
            || !ending.is_empty() && class.ends_with(ending)
    };
    KINDS.iter().find(fits).map_or("other", |(kind, ..)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_path_or_name() {
        for (file, class, expected) in [
            ("app/controllers/a.rb", "A", "controller"),
            ("lib/a.rb", "UsersController", "controller"),
            ("app/channels/chat_channel.rb", "ChatChannel", "channel"),
            ("app/helpers/a.rb", "A", "helper"),
            ("app/jobs/a.rb", "A", "job"),
            ("app/mailboxes/a.rb", "A", "mailbox"),
            ("app/policies/a.rb", "A", "policy"),
            ("app/serializers/a.rb", "A", "serializer"),
            ("app/validators/a.rb", "A", "validator"),
            ("app/workers/a.rb", "A", "worker"),
            ("app/interactors/a.rb", "A", "service"),
            ("app/models/pay_service.rb", "PayService", "service"),
            ("app/models/a.rb", "A", "model"),
            ("engines/pay/app/models/a.rb", "A", "model"),
            ("lib/a.rb", "A", "lib"),
            ("bin/a.rb", "A", "other"),
            // The order of the kinds decides, not that of path and name.
            ("app/models/user_policy.rb", "UserPolicy", "policy"),
            ("app/services/users_controller.rb", "A", "service"),
            ("app/services/a.rb", "UsersController", "controller"),
            ("app/controllers/a.rb", "SendJob", "controller"),
            ("lib/workers/send_worker.rb", "SendWorker", "worker"),
            ("app/models/concerns/a.rb", "A", "model"),
            ("app/mailers/a_mailer.rb", "AMailer", "other"),
            ("packs/pay/lib/a.rb", "Pay::CheckoutInteractor", "service"),
            ("library/a.rb", "Jobs", "other"),
        ] {
            assert_eq!(kind(file, class), expected, "{file} {class}");
        }
    }
}
