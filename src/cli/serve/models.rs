//! The models that the page shows: those that the command line names, and no other file.

use crate::cli::io::out::shown;
use crate::cli::io::{find, input, replace};
use crate::escape;
use crate::source::SourceFile;
use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Files, by numbers from 0. Pages name a file by its number, so that no name can lead elsewhere.
#[derive(Debug)]
pub struct Models {
    paths: Vec<PathBuf>,
}

/// What a page asks about a file.
#[derive(Debug, Deserialize)]
struct Read {
    model: usize,
}

/// What a page writes.
#[derive(Debug, Deserialize)]
struct Save {
    model: usize,
    /// What the file said when it was read.
    before: String,
    /// What it is to say.
    text: String,
}

/// A file as the page lists it.
#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    uri: String,
    /// Whether somebody removed it since the server found it.
    gone: bool,
}

impl Models {
    /// The models that the paths name.
    ///
    /// # Errors
    /// Which of them cannot be read.
    pub fn find(paths: &[PathBuf]) -> Result<Models> {
        let mut found = Vec::new();
        for (name, usable) in find::collect(paths, find::Wanted::Models) {
            let path = PathBuf::from(&name);
            usable.map_err(|why| anyhow!("{}: {why}", shown(&path)))?;
            if input::is_standard_input(&path) {
                bail!("the page shows files: name one, or a folder of models");
            }
            if !path.exists() {
                bail!("there is no {}: name a model, `*.rcp`, or a folder of models", shown(&path));
            }
            if !replace::is_named_like_a_model(&path) {
                bail!(
                    "{}: the page shows models in our language, `*.rcp`; `prove` and `bmc` take others",
                    shown(&path)
                );
            }
            input::read(&path)?;
            found.push(path);
        }
        Ok(Models { paths: found })
    }

    /// Answers a request of a page.
    ///
    /// # Errors
    /// Why it has no answer.
    pub fn answer(&self, method: &str, params: Value) -> Result<Value> {
        match method {
            "page/models" => {
                let listed = self.paths.iter().map(|path| {
                    let place = path.canonicalize().unwrap_or_else(|_| path.clone());
                    let uri = escape::uri(&place.display().to_string());
                    Listed { name: path.display().to_string(), uri, gone: !path.exists() }
                });
                Ok(serde_json::to_value(listed.collect::<Vec<_>>())?)
            }
            "page/read" => {
                let Read { model } = serde_json::from_value(params)?;
                Ok(json!(read(self.path(model)?)?.text()))
            }
            "page/save" => {
                let Save { model, before, text } = serde_json::from_value(params)?;
                let path = self.path(model)?;
                if read(path)?.text() != before {
                    bail!("{} was changed by somebody else: copy your text, and open the model again", shown(path));
                }
                replace::rewrite(path, text)?;
                Ok(Value::Null)
            }
            _ => bail!("there is no method `{method}`"),
        }
    }

    fn path(&self, number: usize) -> Result<&PathBuf> {
        self.paths.get(number).ok_or_else(|| anyhow!("there is no model {number}"))
    }
}

/// Reads a model, which somebody may have removed since the server found it.
fn read(path: &Path) -> Result<SourceFile> {
    if !path.exists() {
        bail!("cannot read {}: it is not there any more; choose another model, or put it back", shown(path));
    }
    input::read(path)
}
