//! [`Bridge`]: the one thread in which asynchronous code runs.

use std::future::Future;
use std::io;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// A thread with a runtime. Other threads give it futures and wait for their results.
pub(crate) struct Bridge {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bridge {
    pub(crate) fn start() -> io::Result<Bridge> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("cluster".to_owned())
            .spawn(move || {
                let _ = runtime.block_on(stopped);
            })?;
        Ok(Bridge {
            handle,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Runs a future in the thread and waits for its result.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> T {
        self.start_call(future)
            .recv()
            .expect("the thread of a bridge lives as long as the bridge")
    }

    /// Runs a future in the thread. Its result can be received later.
    pub(crate) fn start_call<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Receiver<T> {
        let (sender, receiver) = sync_channel(1);
        self.handle.spawn(async move {
            let _ = sender.send(future.await);
        });
        receiver
    }

    /// Runs futures in the thread, also after the bridge was borrowed.
    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Runs a future in the thread, without waiting for it.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        self.handle.spawn(future).abort_handle()
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
