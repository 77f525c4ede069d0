//! Asks a server for its status, once.

use std::time::Duration;

use super::Client;

impl Client {
    /// The status of a GET request. Contains the message for the user if there is no response.
    pub(crate) fn status(&self, url: &str, timeout: Duration) -> Result<u16, String> {
        let request = self.transports.plain_agent(url).get(url);
        let request = request.config().timeout_global(Some(timeout)).build();
        let response = request.call().map_err(|error| error.to_string())?;
        Ok(response.status().as_u16())
    }
}
