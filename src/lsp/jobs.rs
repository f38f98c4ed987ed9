//! Work in the background: questions of requests wait in a queue, and as many threads as there are places ask them; one more looks
//! at texts.

use super::verdicts::PendingQuestion;
use super::verifier::{Cancel, TextQuestion, Verifier};
use crate::diag::Diagnostic;
use crate::report::record::Record;
use crossbeam_channel::{Receiver, Sender};
use lsp_server::RequestId;
use lsp_types::ProgressToken;

/// An event from other threads.
pub enum JobEvent {
    /// A closer look at a text is done.
    Looked { uri: String, version: i32, findings: Vec<Diagnostic> },
    /// The job with this number goes on: how far it is.
    Progress { id: u64, words: String },
    /// The job with this number is done. There are no answers if they were not wanted any more.
    Answered { id: u64, records: Vec<Record> },
}

/// A question that waits or is asked.
#[derive(Clone)]
pub struct Job {
    /// A number of its own.
    pub id: u64,
    pub question: TextQuestion,
    /// The question, as the text has it.
    pub asked: PendingQuestion,
    pub cancel: Cancel,
}

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

/// A text to look at more closely.
pub struct CloserLook {
    pub uri: String,
    pub version: i32,
    pub name: String,
    pub text: String,
}

/// Asks the questions of a queue, until it ends.
pub fn work(place: usize, verifier: &dyn Verifier, queue: &Receiver<Job>, events: &Sender<JobEvent>) {
    for Job { id, question, cancel, .. } in queue {
        let mut progress = |words: String| {
            let _ = events.send(JobEvent::Progress { id, words });
        };
        let records: Vec<Record> = match cancel.is_set() {
            true => Vec::new(),
            false => verifier.answer(place, &question, &cancel, &mut progress),
        };
        // Without a server no answer is wanted.
        let _ = events.send(JobEvent::Answered { id, records });
    }
}

/// Looks at texts more closely, of each at the newest version only.
pub fn look(verifier: &dyn Verifier, wanted: &Receiver<CloserLook>, events: &Sender<JobEvent>) {
    while let Ok(first) = wanted.recv() {
        let mut newest = vec![first];
        for look in wanted.try_iter() {
            newest.retain(|other| other.uri != look.uri);
            newest.push(look);
        }
        for CloserLook { uri, version, name, text } in newest {
            let findings = verifier.look(&name, &text);
            let _ = events.send(JobEvent::Looked { uri, version, findings });
        }
    }
}
