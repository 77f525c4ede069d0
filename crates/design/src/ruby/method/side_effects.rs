//! What a method does to the world around it: side effects and the classes it depends on (rules L15 and T9).
//! Heuristic: names say what they do.

use ruby_prism::{CallNode, Node};

use crate::ruby::method::test_level::{is_class_of_the_program, root};
use crate::ruby::syntax::node::{bare, called, constant, source};
use crate::ruby::syntax::words::snake;

/// Kinds of side effects, as the plugin layout spells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectKind {
    /// Somebody else's server is told.
    Webhook,
    /// A letter is sent.
    Email,
    /// The cache is changed.
    Cache,
    /// Something is put in a queue or announced.
    Event,
    /// Somebody else's server is asked.
    ExternalApi,
}

impl EffectKind {
    /// As the plugin layout spells it.
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
    /// Which kind.
    pub kind: EffectKind,
    /// In words.
    pub description: String,
}

/// What a method reaches out to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SideEffects {
    /// In the order of the source, each once.
    pub effects: Vec<Effect>,
    /// Other classes of the program, in the order of the source.
    pub dependencies: Vec<String>,
}

impl SideEffects {
    /// What lies beyond this class, whose method it is.
    pub(crate) fn excluding_class(mut self, class: &str) -> SideEffects {
        self.dependencies.retain(|other| other != class);
        self
    }

    pub(crate) fn call(&mut self, call: &CallNode<'_>) {
        let Some(receiver) = call.receiver().map(bare) else {
            return;
        };
        if let Some(effect) = effect(called(call), &receiver)
            && !self.effects.contains(&effect)
        {
            self.effects.push(effect);
        }
        if constant(&receiver).is_some() {
            let class = source(&receiver).trim_start_matches("::").to_owned();
            if is_class_of_the_program(&class) && !self.dependencies.contains(&class) {
                self.dependencies.push(class);
            }
        }
    }
}

fn effect(method: &str, receiver: &Node<'_>) -> Option<Effect> {
    let class = root(receiver).unwrap_or_default();
    let name = class.rsplit("::").next().unwrap_or_default();
    let (kind, description) = match method {
        "deliver" | "deliver!" | "deliver_now" | "deliver_now!" | "deliver_later"
        | "deliver_later!" => (EffectKind::Email, format!("sends {}", mail_name(receiver))),
        "perform_later" | "perform_async" | "perform_in" | "perform_at" => {
            (EffectKind::Event, format!("enqueues {}", words(name)))
        }
        "publish" | "broadcast" | "broadcast_to" | "instrument" => {
            (EffectKind::Event, format!("publishes {}", words(name)))
        }
        "write" | "fetch" | "delete" | "increment" | "decrement" | "clear"
            if is_cache(receiver) =>
        {
            (EffectKind::Cache, "updates the cache".to_owned())
        }
        _ if name.contains("Webhook") => (EffectKind::Webhook, format!("calls {}", words(name))),
        _ if is_http_client(&class) => (EffectKind::ExternalApi, format!("calls {}", words(name))),
        _ => return None,
    };
    Some(Effect {
        kind,
        description: description.trim_end().to_owned(),
    })
}

fn words(name: &str) -> String {
    snake(name).replace('_', " ")
}

/// What a mailer is asked for: `welcome` of `UserMailer.welcome(user)`.
fn mail_name(mail: &Node<'_>) -> String {
    let name = mail.as_call_node().map(|call| called(&call).to_owned());
    words(&name.unwrap_or_else(|| "the mail".to_owned()))
}

fn is_cache(receiver: &Node<'_>) -> bool {
    receiver
        .as_call_node()
        .is_some_and(|call| called(&call) == "cache")
}

/// Whether a class speaks to other servers, by its name.
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
