//! Questions that requests have asked and that are not all answered yet.

use super::jobs::Job;
use crate::report::record::Record;
use lsp_server::RequestId;
use lsp_types::ProgressToken;

/// A request, and what the client calls the work that it makes.
pub type Asking = (RequestId, Option<ProgressToken>);

/// Questions that were asked by one request about a text.
pub struct RequestGroup {
    pub request: RequestId,
    pub uri: String,
    /// The client's name for the work, if it wants to hear how far it is.
    pub token: Option<ProgressToken>,
    /// Those that are not answered yet.
    pub jobs: Vec<Job>,
    /// The answers, in the order in which they came.
    pub answers: Vec<(Job, Vec<Record>)>,
    pub is_cancelled: bool,
}

impl RequestGroup {
    /// The place of the job with this number.
    pub fn find(&self, id: u64) -> Option<usize> {
        self.jobs.iter().position(|job| job.id == id)
    }

    /// How many are answered, in percent.
    pub fn percentage(&self) -> u32 {
        let answered = self.answers.len();
        (100 * answered / (answered + self.jobs.len())) as u32
    }

    /// Cancels all of it.
    pub fn cancel(&mut self) {
        self.is_cancelled = true;
        self.jobs.iter().for_each(|job| job.cancel.set());
    }
}
