//! [`ServerClock`]: the clock of the server, which all workers share.

use std::time::Duration;

use casebook_record::Time;
use serde::Deserialize;
use tokio::time::Instant;

use crate::server::Server;

/// How long the clock of this machine measures the time since the server's clock was read.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The server's clock when it was read, and when that was on this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerClock {
    read: Time,
    requested: Instant,
    received: Instant,
}

/// The server's time is between these, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerTime {
    pub(crate) earliest: u64,
    pub(crate) latest: u64,
}

/// The part of the information about a stream that contains the server's time.
#[derive(Deserialize)]
struct StreamInfo {
    ts: Time,
}

impl ServerClock {
    pub(super) async fn read(server: &Server) -> Option<ServerClock> {
        let subject = format!("STREAM.INFO.KV_{}", server.names.bucket());
        let requested = Instant::now();
        let info: StreamInfo = server.jetstream.request(subject, &()).await.ok()?;
        Some(ServerClock {
            read: info.ts,
            requested,
            received: Instant::now(),
        })
    }

    pub(super) fn is_old(&self) -> bool {
        self.received.elapsed() > MAX_AGE
    }

    pub(super) fn now(&self) -> ServerTime {
        let since = |then: Instant| self.read.plus_seconds(then.elapsed().as_secs_f64());
        let millis = |time: Time| u64::try_from(time.as_millis()).unwrap_or_default();
        ServerTime {
            earliest: millis(since(self.received)),
            latest: millis(since(self.requested)) + 1,
        }
    }
}
