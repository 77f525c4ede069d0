//! The side effects of a method and the classes it depends on (rules L15 and T9). They are guessed from names.

use ruby_prism::{CallNode, Node};

use crate::ruby::method::test_level::{class_path, is_program_class, last_name, root};
use crate::ruby::syntax::node::{bare, called, is_constant};
use crate::ruby::syntax::words::snake;

/// Kinds of side effects, as named in the plugin layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectKind {
    /// Calls a webhook.
    Webhook,
    /// Sends an email.
    Email,
    /// Changes the cache.
    Cache,
    /// Enqueues a job or publishes an event.
    Event,
    /// Calls an external API.
    ExternalApi,
}

impl EffectKind {
    /// The word used in the plugin layout.
    pub fn as_str(self) -> &'static str {
        match self {
            EffectKind::Webhook => "webhook",
            EffectKind::Email => "email",
            EffectKind::Cache => "cache",
            EffectKind::Event => "event",
            EffectKind::ExternalApi => "external_api",
        }
    }
}

/// One side effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The kind of effect.
    pub kind: EffectKind,
    /// A description such as "sends welcome".
    pub description: String,
}

/// The side effects and dependencies of a method.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SideEffects {
    /// In source order, without duplicates.
    pub effects: Vec<Effect>,
    /// Other classes of the program, in source order.
    pub dependencies: Vec<String>,
}

impl SideEffects {
    /// Removes the class of the method itself from the dependencies.
    pub(crate) fn excluding_class(mut self, class: &str) -> SideEffects {
        self.dependencies.retain(|other| other != class);
        self
    }

    /// Records a call of the method with this name.
    pub(crate) fn call(&mut self, name: &str, call: &CallNode<'_>) {
        let Some(receiver) = call.receiver().map(bare) else {
            return;
        };
        if let Some(effect) = effect(name, &receiver)
            && !self.effects.contains(&effect)
        {
            self.effects.push(effect);
        }
        if is_constant(&receiver) {
            let class = class_path(&receiver);
            if is_program_class(class) && !self.dependencies.iter().any(|known| known == class) {
                self.dependencies.push(class.to_owned());
            }
        }
    }
}

fn effect(method: &str, receiver: &Node<'_>) -> Option<Effect> {
    let root_words = || root(receiver).map_or_else(String::new, |class| words(last_name(class)));
    let (kind, description) = match method {
        "deliver" | "deliver!" | "deliver_now" | "deliver_now!" | "deliver_later"
        | "deliver_later!" => (EffectKind::Email, format!("sends {}", mail_name(receiver))),
        "perform_later" | "perform_async" | "perform_in" | "perform_at" => {
            (EffectKind::Event, format!("enqueues {}", root_words()))
        }
        "publish" | "broadcast" | "broadcast_to" | "instrument" => {
            (EffectKind::Event, format!("publishes {}", root_words()))
        }
        "write" | "fetch" | "delete" | "increment" | "decrement" | "clear"
            if is_cache(receiver) =>
        {
            (EffectKind::Cache, "updates the cache".to_owned())
        }
        _ => {
            let kind = kind_of_class(root(receiver)?)?;
            (kind, format!("calls {}", root_words()))
        }
    };
    Some(Effect {
        kind,
        description: description.trim_end().to_owned(),
    })
}

/// The effect of any call on this class.
fn kind_of_class(class: &str) -> Option<EffectKind> {
    if last_name(class).contains("Webhook") {
        Some(EffectKind::Webhook)
    } else {
        is_http_client(class).then_some(EffectKind::ExternalApi)
    }
}

fn words(name: &str) -> String {
    snake(name).replace('_', " ")
}

/// The name of a mail: `welcome` of `UserMailer.welcome(user)`.
fn mail_name(mail: &Node<'_>) -> String {
    let name = mail.as_call_node().map(|call| called(&call).to_owned());
    words(&name.unwrap_or_else(|| "the mail".to_owned()))
}

fn is_cache(receiver: &Node<'_>) -> bool {
    receiver
        .as_call_node()
        .is_some_and(|call| called(&call) == "cache")
}

/// Whether a class is an HTTP client, judged by its name.
pub(crate) fn is_http_client(class: &str) -> bool {
    const LIBRARIES: [&str; 9] = [
        "Net::HTTP",
        "Faraday",
        "HTTParty",
        "RestClient",
        "Typhoeus",
        "Excon",
        "HTTP",
        "HTTPX",
        "Curl",
    ];
    LIBRARIES.contains(&class)
        || ["Client", "Gateway", "Api", "API"]
            .iter()
            .any(|end| class.ends_with(end))
}
