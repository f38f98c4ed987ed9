//! `rcheck-smt graph`

use crate::cli::arguments::{ReadingOptions, parse_positive};
use crate::cli::io::input::{Loaded, load, say_sizes, show_diagnostics};
use crate::cli::io::kind::Kind;
use crate::cli::io::out::document;
use crate::cli::io::replace;
use crate::cli::limits::limited::Limited;
use crate::cli::status::Status;
use crate::model::eval::Semantics;
use crate::model::{AgentId, Model};
use crate::report::graph::{Graph, Words, dot, drawing};
use anyhow::{Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use std::path::Path;
use std::path::PathBuf;

pub const GRAPH_EXIT_CODES: &str = "\
Exit codes:
  0  the picture was written
  2  the input or the arguments are wrong, or the disk is full
  3  internal error: please report it
  4  given up at the limit of `--timeout` or `--memory`
  130  stopped by Ctrl-C";

#[derive(Debug, Args)]
pub struct Arguments {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// Draw this agent type only. May be repeated.
    #[arg(long, value_name = "AGENT")]
    pub agent: Vec<String>,
    /// Draw the first N reachable states, with the steps between them, instead of the structure automata.
    #[arg(long, value_name = "N", conflicts_with = "agent", value_parser = parse_positive)]
    pub reachable: Option<u16>,
    /// The file format [default: by the extension of `--output`, SVG without `--output`].
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<GraphFormat>,
    /// Write to this file [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limited: Limited,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A vector graphic.
    Svg,
    /// Input for Graphviz.
    Dot,
    /// TikZ, for LaTeX.
    Tikz,
}

/// Pictures of more states say less of each.
const MOST_WHOLE: u16 = 40;

/// Draws automata, or reachable states.
pub fn run(command: &Arguments) -> Result<Status> {
    command.limited.run("nothing was drawn", || draw(command))
}

fn draw(command: &Arguments) -> Result<Status> {
    let how = command.reading.how()?;
    let loaded = load(&command.file, &how)?;
    show_diagnostics(&loaded);
    // A model without initial states has automata all the same.
    let status = if loaded.diagnostics.has_errors() { Status::BadInput } else { Status::Clear };
    let Loaded { model: Some(model), .. } = loaded else { return Ok(Status::BadInput) };
    say_sizes(&model);
    let format = format_of(command)?;
    let kind = if format == GraphFormat::Dot { Kind::Export } else { Kind::Picture };
    command.output.as_deref().map_or(Ok(()), |path| replace::refuse_other(path, kind))?;
    let graphs = match command.reachable {
        Some(most) => {
            let words = if format != GraphFormat::Dot && most > MOST_WHOLE { Words::Few } else { Words::All };
            vec![reachable(&model, most.into(), words)?]
        }
        None => choose(&model, &command.agent)?.into_iter().map(|agent| Graph::of_agent(&model, agent)).collect(),
    };
    let text = match format {
        GraphFormat::Svg => drawing::draw(&graphs).to_svg(),
        GraphFormat::Dot => dot::to_dot(&graphs),
        GraphFormat::Tikz => drawing::draw(&graphs).to_tikz(),
    };
    match &command.output {
        Some(path) => replace::write(path, kind, text)?,
        None => document(text.as_bytes()),
    }
    Ok(status)
}

/// The first reachable states.
pub(super) fn reachable(model: &Model, most: usize, words: Words) -> Result<Graph> {
    let graph = Graph::of_reachable(&Semantics::new(model), most, words);
    let graph = graph.map_err(|reason| anyhow!("the initial states cannot be listed: {reason}"))?;
    ensure!(!graph.nodes.is_empty(), "there is no initial state, so nothing can be reached");
    Ok(graph)
}

fn format_of(command: &Arguments) -> Result<GraphFormat> {
    let extension = |path: &Path| path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match (command.format, command.output.as_deref().map(extension)) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(GraphFormat::Svg),
        (None, Some(Some(extension))) if extension == "svg" => Ok(GraphFormat::Svg),
        (None, Some(Some(extension))) if extension == "dot" || extension == "gv" => Ok(GraphFormat::Dot),
        (None, Some(Some(extension))) if extension == "tex" || extension == "tikz" => Ok(GraphFormat::Tikz),
        (None, Some(_)) => bail!("the name of the output ends with none of `.svg`, `.dot` and `.tex`; add `--format`"),
    }
}

/// The agent types that the user named; all if none was.
fn choose(model: &Model, wanted: &[String]) -> Result<Vec<AgentId>> {
    let all: Vec<&str> = model.agents.iter().map(|agent| agent.name.as_str()).collect();
    if wanted.is_empty() {
        return Ok((0..all.len() as u32).map(AgentId).collect());
    }
    let find = |name: &String| match all.iter().position(|known| known == name) {
        Some(index) => Ok(AgentId(index as u32)),
        None => Err(anyhow!("no agent type `{name}`: the model has {}", all.join(", "))),
    };
    wanted.iter().map(find).collect()
}
