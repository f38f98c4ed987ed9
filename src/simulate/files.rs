//! `save` and `load`.

use super::session::{Phase, Session, Told};
use super::show::{self, Detail};
use super::timeline::Timeline;
use crate::escape::visible;
use crate::trace_file::{self, About, Format};
use crate::words::count;
use std::path::Path;

impl Session<'_> {
    pub(super) fn save(&self, path: &str) -> Told {
        let run = self.timeline()?.run(self.semantics).map_err(|error| error.describe(self.model()))?;
        let (model_file, round) = (self.reader.file().to_owned(), self.timeline()?.round_to_here().cloned());
        let about = About { model_file, description: "from a simulation".to_owned(), round };
        let mut content = Vec::new();
        trace_file::write(&mut content, &run, &about, Format::of(Path::new(path))).expect("writing to memory works");
        self.world.write(path, &content)?;
        Ok(format!("saved {} to {path}\n", count(run.steps().len(), "step")))
    }

    pub(super) fn load(&mut self, path: &str) -> Told {
        let text = self.world.read(path)?;
        let file = trace_file::read(self.semantics, &text)
            .map_err(|error| format!("{path} is no trace of this model:\n{error}"))?;
        let timeline = Timeline::of(&file.run, file.about.round);
        let run = show::extent(&timeline);
        self.phase = Phase::Run(timeline);
        let about = if file.about.description.is_empty() {
            String::new()
        } else {
            format!(": {}", visible(&file.about.description))
        };
        Ok(format!("loaded {run}{about}; `forward` goes along them\n{}", self.here(Detail::Whole)))
    }
}
