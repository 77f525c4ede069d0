//! A model under test: sends the complete history, and the results of the tools that the suite provides.

use std::io;
use std::time::Instant;

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{self, HistoryTurn, HttpMethod, ModelApi, StopReason};
use serde_json::{Value, json};

use super::chat::{
    CallRequest, CallResult, ChatMessage, Completion, assistant_message, call_result,
    messages_before, results_message, user_message,
};
use super::connection::{Connection, Target};
use super::mock_tools::MockTools;
use super::openai::ChunkReader;
use super::stream::{self, StreamedReply};
use super::{Agent, AgentError, AgentExit, ChatRequest, anthropic, openai, usage};
use crate::conversation::ConversationContext;
use crate::conversation::session::Context;
use crate::stop::Cancellation;
use crate::transcript::{Reply, added};

/// A model under test.
pub(super) struct ModelAgent<'a> {
    agent: conversation::ModelAgent,
    tools: MockTools<'a>,
    connection: Connection<'a>,
    /// The conversation so far.
    messages: Vec<ChatMessage>,
    instant: fn() -> Instant,
}

impl<'a> ModelAgent<'a> {
    pub(super) fn new(
        agent: conversation::ModelAgent,
        services: ConversationContext<'a>,
        history: &[HistoryTurn],
        context: &Context<'_>,
    ) -> ModelAgent<'a> {
        let endpoint = agent.endpoint.clone();
        let target = Target {
            url: match agent.api {
                ModelApi::OpenAi => openai::url(&endpoint.url),
                ModelApi::Anthropic => anthropic::url(&endpoint.url),
            },
            endpoint,
            method: HttpMethod::Post,
            is_model: true,
        };
        ModelAgent {
            tools: MockTools::new(agent.tools.clone(), services),
            connection: Connection::new(target, services, context),
            messages: messages_before(history),
            instant: services.processes.instant,
            agent,
        }
    }

    /// Sends the messages; adds the retries and the time to the first text to the reply.
    fn complete(
        &mut self,
        messages: &[ChatMessage],
        started: Instant,
        reply: &mut Reply,
        cancellation: Cancellation<'_>,
    ) -> Result<Completion, AgentError> {
        let (body, headers) = match self.agent.api {
            ModelApi::OpenAi => (openai::request(&self.agent, messages), &[][..]),
            ModelApi::Anthropic => (
                anthropic::request(&self.agent, messages),
                &anthropic::HEADERS[..],
            ),
        };
        let (body, connection) = (body.to_string(), &mut self.connection);
        let (response, completion) = if self.agent.stream {
            let before = (self.instant)() - started;
            let mut reader = ChunkReader::default();
            let StreamedReply {
                response,
                first_token,
            } = stream::send(connection, &body, &mut reader, self.instant, cancellation)?;
            let first_token = first_token.map(|first| before + first);
            reply.first_token = reply.first_token.or(first_token);
            (response, reader.finish())
        } else {
            let response = connection.send(&body, headers, None, cancellation)?;
            let completion = match self.agent.api {
                ModelApi::OpenAi => openai::parse(&response.body),
                ModelApi::Anthropic => anthropic::parse(&response.body),
            };
            // Not of a stream, whose headers are sent before the cost is known.
            let completion = completion.and_then(|one| with_cost(one, response.cost));
            (response, completion)
        };
        reply.retries += response.retries;
        reply.retried_on.extend(response.retried_on);
        completion.map_err(AgentError::Failed)
    }

    /// Executes the calls of a completion and returns their results for the model.
    fn call_tools(
        &mut self,
        completion: &Completion,
        round: u32,
        reply: &mut Reply,
        on_tool_call: &mut dyn FnMut(&ToolCall),
    ) -> Result<Vec<CallResult>, AgentError> {
        let mut results = Vec::new();
        for request in &completion.calls {
            let call = self.tools.call(request, round)?;
            on_tool_call(&call);
            results.push(call_result(&call, request.id.clone()));
            reply.calls.push(call);
        }
        Ok(results)
    }

    /// Adds text, tokens, cost and metadata of a completion to the reply.
    fn add(&self, completion: &Completion, reply: &mut Reply) {
        if !reply.text.is_empty() && !completion.text.is_empty() {
            reply.text.push_str("\n\n");
        }
        reply.text.push_str(&completion.text);
        let price = self.agent.price.zip(completion.tokens);
        let cost = completion
            .cost
            .or_else(|| price.map(|(price, tokens)| tokens.cost(price)));
        if let Some(cost) = cost {
            reply.cost = Some(added(reply.cost.unwrap_or_default(), cost));
        }
        if let Some(tokens) = completion.tokens {
            reply.tokens = Some(reply.tokens.unwrap_or_default().plus(tokens));
        }
        if let Some(reason) = &completion.finish_reason {
            reply.metadata.set("finish_reason", reason.as_str());
        }
        if let Some(model) = &completion.model {
            reply.metadata.set("tracing", json!({"model": model}));
        }
    }
}

impl Agent for ModelAgent<'_> {
    fn reply(
        &mut self,
        request: &ChatRequest<'_>,
        on_tool_call: &mut dyn FnMut(&ToolCall),
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, AgentError> {
        let started = (self.instant)();
        if let Some(turn) = request.transcript.turns.last() {
            self.messages.extend(user_message(&turn.user, &turn.files));
        }
        // Within a turn, a server needs its messages as it sent them: they may contain its reasoning. In later turns, some reject that.
        let mut messages = self.messages.clone();
        let mut reply = Reply::default();
        let mut round = 0;
        loop {
            let completion = self.complete(&messages, started, &mut reply, cancellation)?;
            self.add(&completion, &mut reply);
            reply.stop_reason = completion.stop_reason;
            let message = assistant_message(&completion.text, completion.calls.clone());
            self.messages.extend(message);
            let is_over = completion.calls.is_empty() || completion.stop_reason.is_some();
            let is_limit = round == self.agent.max_tool_rounds;
            if is_over || is_limit || self.tools.is_empty() {
                if !is_over && is_limit && !self.tools.is_empty() {
                    reply.stop_reason = Some(StopReason::ToolRounds);
                }
                let calls = completion.calls.iter();
                let results = calls.map(|request| no_result(&request.id));
                self.messages.extend(results_message(results.collect()));
                reply
                    .calls
                    .extend(completion.calls.into_iter().map(unexecuted));
                reply.latency = (self.instant)() - started;
                return Ok(reply);
            }
            round += 1;
            let results = self.call_tools(&completion, round, &mut reply, on_tool_call)?;
            self.messages.push(ChatMessage::Results(results.clone()));
            messages.push(ChatMessage::Received(completion.message));
            messages.push(ChatMessage::Results(results));
        }
    }

    fn shut_down(self: Box<Self>, _: bool) -> io::Result<AgentExit> {
        Ok(self.connection.exit())
    }
}

/// Servers want a result for each call, also for one that was not executed.
fn no_result(id: &str) -> CallResult {
    CallResult {
        id: id.to_owned(),
        content: String::new(),
        is_error: false,
    }
}

/// The completion with the cost in a header of the response, if it has none itself.
fn with_cost(completion: Completion, reported: Option<f64>) -> Result<Completion, String> {
    let reported = usage::amount("cost", reported.map(Value::from).as_ref())?;
    Ok(Completion {
        cost: completion.cost.or(reported),
        ..completion
    })
}

/// A call that was requested but not executed has no result.
fn unexecuted(request: CallRequest) -> ToolCall {
    ToolCall {
        name: request.name,
        arguments: request.arguments.into(),
        result: None,
        error: None,
        metadata: Metadata::new(),
    }
}
