//! `-v`: what engines do while they do it, a line per event on standard error. The words of an event are made only with
//! `-v`. [`crate::verify::Progress`] says, besides, how far an engine is.

use crate::cli::io::out::remark_plain;
use std::fmt;
use std::io;
use std::time::Instant;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// From now on, writes events: with `-v` those that say how far engines are, with `-vv` also what they learn.
pub fn begin(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => Level::INFO,
        _ => Level::DEBUG,
    };
    let fields = debug_fn(|writer, _, value| write!(writer, "{value:?}"));
    let lines = EventLines { begun: Instant::now() };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .fmt_fields(fields)
        .event_format(lines)
        .with_writer(|| StandardError)
        .init();
}

/// `   0.104 s  spec 3 mutex / conjunct 1 / pdr: frame 4: ..`
struct EventLines {
    begun: Instant,
}

impl<S, N> FormatEvent<S, N> for EventLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer, event: &Event) -> fmt::Result {
        write!(out, "{:8.3} s  ", self.begun.elapsed().as_secs_f64())?;
        for (index, span) in context.event_scope().into_iter().flat_map(|scope| scope.from_root()).enumerate() {
            out.write_str(if index == 0 { "" } else { " / " })?;
            match span.extensions().get::<FormattedFields<N>>() {
                Some(fields) if !fields.is_empty() => write!(out, "{fields}")?,
                _ => out.write_str(span.name())?,
            }
        }
        out.write_str(": ")?;
        context.format_fields(out.by_ref(), event)?;
        writeln!(out)
    }
}

/// A line at a time.
struct StandardError;

impl io::Write for StandardError {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        remark_plain(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
