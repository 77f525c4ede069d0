//! Requests to plain `http` servers through a proxy.
//!
//! ureq opens a tunnel with `CONNECT` for every proxied request, which many proxies refuse for `http`. Here the connection is opened to
//! the proxy, and the first line of each request gets the complete URL.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ureq::http::Uri;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, NextTimeout, Transport,
};
use ureq::{Error, Proxy};

const LINE_END: &[u8] = b"\r\n";

/// A proxy for `http` URLs.
#[derive(Debug, Clone)]
pub(super) struct ForwardProxy(pub(super) Proxy);

impl ForwardProxy {
    /// Whether requests to this URL are sent to the proxy.
    pub(super) fn is_used_for(&self, url: &Uri) -> bool {
        !self.0.is_no_proxy(url)
    }

    /// The header with the proxy's user and password, with a line end; empty without them.
    fn authorization(&self) -> String {
        let (user, password) = (self.0.username(), self.0.password());
        if user.is_none() && password.is_none() {
            return String::new();
        }
        let (user, password) = (user.unwrap_or_default(), password.unwrap_or_default());
        let credentials = BASE64_STANDARD.encode(format!("{user}:{password}"));
        format!("proxy-authorization: Basic {credentials}\r\n")
    }
}

/// Follows the connector that opens the connection to the proxy.
impl<In: Transport> Connector<In> for ForwardProxy {
    type Out = Either<In, ForwardTransport<In>>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(inner) = chained else {
            return Ok(None);
        };
        if !self.is_used_for(details.uri) {
            return Ok(Some(Either::A(inner)));
        }
        let server = details.uri.authority().map_or("", |server| server.as_str());
        // User and password of the URL are sent in a header.
        let server = server.rsplit_once('@').map_or(server, |(_, server)| server);
        Ok(Some(Either::B(ForwardTransport {
            inner,
            server: format!("http://{server}"),
            headers: self.authorization(),
            is_at_start: true,
        })))
    }
}

/// A connection to a proxy.
#[derive(Debug)]
pub(super) struct ForwardTransport<In> {
    inner: In,
    /// Precedes the path in the first line.
    server: String,
    /// Follow the first line.
    headers: String,
    /// Whether the next output is the beginning of a request.
    is_at_start: bool,
}

impl<In: Transport> ForwardTransport<In> {
    /// The beginning of a request with the complete URL.
    fn head(&self, origin_form: &[u8]) -> Vec<u8> {
        let method = origin_form.iter().position(|byte| *byte == b' ');
        let path = method.map_or(0, |end| end + 1);
        let mut lines = origin_form.windows(LINE_END.len());
        let headers = lines.position(|window| window == LINE_END);
        let headers = headers.map_or(origin_form.len(), |start| start + LINE_END.len());
        [
            &origin_form[..path],
            self.server.as_bytes(),
            &origin_form[path..headers],
            self.headers.as_bytes(),
            &origin_form[headers..],
        ]
        .concat()
    }

    fn transmit(&mut self, bytes: &[u8], timeout: NextTimeout) -> Result<(), Error> {
        let size = self.inner.buffers().output().len().max(1);
        for part in bytes.chunks(size) {
            self.inner.buffers().output()[..part.len()].copy_from_slice(part);
            self.inner.transmit_output(part.len(), timeout)?;
        }
        Ok(())
    }
}

impl<In: Transport> Transport for ForwardTransport<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if !self.is_at_start {
            return self.inner.transmit_output(amount, timeout);
        }
        self.is_at_start = false;
        let written = self.inner.buffers().output()[..amount].to_vec();
        let head = self.head(&written);
        self.transmit(&head, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.is_at_start = true;
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }
}
