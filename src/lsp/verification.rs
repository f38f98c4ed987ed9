//! Requests for verdicts: their questions are passed on, and they are answered when all is known.

use super::jobs::{Asking, Job, JobEvent, RequestGroup};
use super::messages::{Failure, Handled, done};
use super::results::{answers, unwritten};
use super::state::Server;
use super::verdicts::PendingQuestion;
use super::verifier::{CHECKS, Cancel, SpecOrChecks, TextQuestion};
use crate::report::record::Record;
use lsp_server::{ErrorCode, Response};
use lsp_types::notification::Progress;
use lsp_types::request::WorkDoneProgressCreate;
use lsp_types::*;
use serde_json::Value;
use std::path::PathBuf;

impl Server<'_> {
    /// Asks about specs or checks; the request is answered when all is known.
    ///
    /// # Errors
    /// The text is not open, or has no model.
    pub fn verify(
        &mut self,
        (request, token): Asking,
        uri: &str,
        subjects: &[SpecOrChecks],
        bound: Option<usize>,
        folder: Option<PathBuf>,
    ) -> Handled {
        let (document, _) = self.with_model(uri)?;
        let (name, text) = (document.source().name().to_owned(), document.source().text().to_owned());
        let asked = subjects.iter().filter_map(|subject| Some((*subject, document.question(*subject)?)));
        let asked: Vec<(SpecOrChecks, PendingQuestion)> = asked.collect();
        if asked.is_empty() {
            return done(Vec::<Value>::new());
        }
        let mut jobs = Vec::new();
        for (subject, asked) in asked {
            let (name, text, certificates) = (name.clone(), text.clone(), folder.clone());
            let question = TextQuestion { name, text, subject, bound, certificates };
            jobs.push(Job { id: self.number(), question, asked, cancel: Cancel::default() });
        }
        // A client that names the work waits for news of it.
        let token = token.or_else(|| self.client.shows_progress.then(|| self.new_token()));
        self.progress(
            &token,
            WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: title(subjects),
                cancellable: Some(true),
                message: None,
                percentage: Some(0),
            }),
        );
        for job in &jobs {
            let _ = self.jobs.send(job.clone());
        }
        let (uri, answers) = (uri.to_owned(), Vec::new());
        self.groups.push(RequestGroup { request, uri, token, jobs, answers, is_cancelled: false });
        self.refresh_lenses();
        Ok(None)
    }

    /// Has the client show how far some work is.
    fn new_token(&mut self) -> ProgressToken {
        let token = NumberOrString::String(format!("rcheck-smt-progress-{}", self.number()));
        self.ask::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token: token.clone() });
        token
    }

    fn progress(&self, token: &Option<ProgressToken>, progress: WorkDoneProgress) {
        if let Some(token) = token.clone() {
            let value = ProgressParamsValue::WorkDone(progress);
            self.notify::<Progress>(ProgressParams { token, value });
        }
    }

    /// Takes note of what other threads say.
    pub fn event(&mut self, event: JobEvent) {
        match event {
            JobEvent::Looked { uri, version, findings } => {
                let document = self.documents.get_mut(&uri).filter(|it| it.version == version);
                if let Some(document) = document.filter(|it| it.looked != findings) {
                    document.looked = findings;
                    document.is_news = true;
                }
            }
            JobEvent::Progress { id, words } => {
                if let Some(group) = self.groups.iter().find(|group| group.find(id).is_some()) {
                    self.progress(
                        &group.token,
                        WorkDoneProgress::Report(WorkDoneProgressReport {
                            message: Some(words),
                            percentage: Some(group.percentage()),
                            ..WorkDoneProgressReport::default()
                        }),
                    );
                }
            }
            JobEvent::Answered { id, records } => self.answered(id, records),
        }
    }

    fn answered(&mut self, id: u64, records: Vec<Record>) {
        let found = self.groups.iter().enumerate().find_map(|(place, group)| Some((place, group.find(id)?)));
        let Some((place, number)) = found else { return };
        let group = &mut self.groups[place];
        let job = group.jobs.remove(number);
        if let Some(document) = self.documents.get_mut(&group.uri)
            && !job.cancel.is_set()
        {
            document.answered(job.asked.key.clone(), &records);
            document.is_news = true;
        }
        group.answers.push((job, records));
        if group.jobs.is_empty() {
            let group = self.groups.remove(place);
            self.finish(group);
        }
        self.refresh_lenses();
    }

    /// Answers a request all of whose questions are answered.
    fn finish(&self, group: RequestGroup) {
        self.progress(&group.token, WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        if group.is_cancelled {
            return self.fail(group.request, Failure::new(ErrorCode::RequestCanceled, "cancelled"));
        }
        if let Some(why) = group.answers.iter().find_map(|(job, records)| unwritten(&job.question, records)) {
            return self.fail(group.request, why.into());
        }
        let document = self.documents.get(&group.uri);
        let mut found: Vec<Value> =
            group.answers.iter().flat_map(|(job, records)| answers(document, job, records)).collect();
        found.sort_by_key(|answer| (answer["spec"].as_u64(), answer["line"].as_u64()));
        self.send(Response::new_ok(group.request, found));
    }
}

/// The words for questions.
fn title(subjects: &[SpecOrChecks]) -> String {
    match *subjects {
        [SpecOrChecks::Spec(spec)] => format!("spec {}", spec + 1),
        [SpecOrChecks::Checks(check)] => {
            CHECKS.iter().find(|(other, _)| *other == check).map_or("check", |(_, name)| name).to_owned()
        }
        _ => crate::words::count(subjects.len(), "spec"),
    }
}
