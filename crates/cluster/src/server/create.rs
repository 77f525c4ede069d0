//! Creates the streams and stores of a cluster that do not exist yet.

use std::fmt::Display;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use async_nats::jetstream::{kv, object_store};

use super::{KEEP, KEEP_KEYS, MAX_DELIVERIES, Server};
use crate::error::ClusterError;
use crate::names::CONSUMER;

impl Server {
    /// Creates the streams that do not exist yet.
    pub(crate) async fn create_streams(&self, lease: Duration) -> Result<(), ClusterError> {
        self.create_work_queue(lease).await?;
        self.create_event_stream().await?;
        self.create_stores().await
    }

    async fn create_work_queue(&self, lease: Duration) -> Result<(), ClusterError> {
        let stream = Config {
            name: self.names.work_stream(),
            subjects: vec![self.names.work("*", "*")],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_age: KEEP,
            num_replicas: self.replicas(),
            ..Config::default()
        };
        let work = self.jetstream.get_or_create_stream(stream).await;
        let consumer = pull::Config {
            durable_name: Some(CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_deliver: MAX_DELIVERIES,
            max_ack_pending: 100_000,
            max_waiting: 100_000,
            ..pull::Config::default()
        };
        let created = work.map_err(failed)?.create_consumer(consumer).await;
        created.map(drop).map_err(failed)
    }

    async fn create_event_stream(&self) -> Result<(), ClusterError> {
        let stream = Config {
            name: self.names.event_stream(),
            subjects: vec![self.names.events("*", "*", "*"), self.names.done("*", "*")],
            discard: DiscardPolicy::New,
            max_age: KEEP,
            num_replicas: self.replicas(),
            allow_direct: true,
            ..Config::default()
        };
        let created = self.jetstream.get_or_create_stream(stream).await;
        created.map(drop).map_err(failed)
    }

    /// Creates the store of objects and the one of keys.
    async fn create_stores(&self) -> Result<(), ClusterError> {
        if self.bucket().await.is_err() {
            let objects = object_store::Config {
                bucket: self.names.bucket(),
                max_age: KEEP,
                num_replicas: self.replicas(),
                ..object_store::Config::default()
            };
            let created = self.jetstream.create_object_store(objects).await;
            created.map_err(failed)?;
        }
        if self.keys().await.is_err() {
            let keys = kv::Config {
                bucket: self.names.bucket(),
                max_age: KEEP_KEYS,
                num_replicas: self.replicas(),
                ..kv::Config::default()
            };
            let created = self.jetstream.create_key_value(keys).await;
            created.map_err(failed)?;
        }
        Ok(())
    }

    /// Streams survive the loss of a node if the server has at least three.
    fn replicas(&self) -> usize {
        let info = self.client.server_info();
        if info.cluster.is_some() && info.connect_urls.len() >= 3 {
            3
        } else {
            1
        }
    }
}

fn failed(error: impl Display) -> ClusterError {
    ClusterError::request("create the streams of the cluster", error)
}
