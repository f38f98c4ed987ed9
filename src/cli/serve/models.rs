//! The models that the page shows: those that the command line names, and no other file.

use crate::cli::io::inside::{Folder, Inside};
use crate::cli::io::out::shown;
use crate::cli::io::{find, input};
use crate::escape;
use crate::language::Language;
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Files, by numbers from 0. Pages name a file by its number, so that no name can lead elsewhere.
#[derive(Debug, Default)]
pub struct Models {
    files: Vec<ServedModel>,
    /// The places of the files: each is there once.
    places: HashSet<PathBuf>,
}

/// A file of the page.
#[derive(Debug)]
struct ServedModel {
    name: PathBuf,
    /// The file itself, or why it cannot be served.
    file: Result<Inside, String>,
}

/// The question of a page about a file.
#[derive(Debug, Deserialize)]
struct ReadParams {
    model: usize,
}

/// A file that a page writes.
#[derive(Debug, Deserialize)]
struct SaveParams {
    model: usize,
    /// The text of the file when it was read.
    before: String,
    /// The text that it is to have.
    text: String,
}

/// A file as the page lists it.
#[derive(Debug, Serialize)]
struct ListedModel {
    name: String,
    uri: String,
    /// True if it was removed since the server found it.
    gone: bool,
    /// Why it cannot be read, if it cannot.
    error: Option<String>,
}

impl ServedModel {
    /// The text of the model.
    fn read(&self) -> Result<String> {
        input::read_open(&self.unless_gone(self.inside()?.open())?, &self.name)
    }

    /// Saves a text in place of the one that a page has read.
    fn save(&self, before: &str, text: &str) -> Result<()> {
        let change = self.unless_gone(self.inside()?.change())?;
        if input::read_open(change.old(), &self.name)? != before {
            bail!(
                "{} has changed since this page read it, so nothing was written: copy your text, and open the model again",
                shown(&self.name)
            );
        }
        change.replace(text.as_bytes()).with_context(|| format!("cannot write {}", shown(&self.name)))
    }

    fn inside(&self) -> Result<&Inside> {
        self.file.as_ref().map_err(|why| anyhow!("{}: {why}", shown(&self.name)))
    }

    /// The model, opened: it may have been removed since the server found it.
    fn unless_gone<T>(&self, opened: io::Result<T>) -> Result<T> {
        opened.map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                anyhow!(
                    "cannot read {}: it is not there any more; choose another model, or put it back",
                    shown(&self.name)
                )
            }
            _ => anyhow!(error).context(format!("cannot read {}", shown(&self.name))),
        })
    }

    fn listed(&self) -> ListedModel {
        let place = self.file.as_ref().map_or_else(|_| self.name.clone(), Inside::place);
        let uri = escape::uri(&place.display().to_string());
        let error = self.read().err().map(|why| format!("{why:#}"));
        ListedModel { name: self.name.display().to_string(), uri, gone: !place.exists(), error }
    }
}

impl Models {
    /// The models that the paths name. Those of folders that cannot be read are listed with the reason.
    ///
    /// # Errors
    /// A path names no model, or none of the models can be read.
    pub fn find(paths: &[PathBuf]) -> Result<Models> {
        let mut models = Models::default();
        for path in paths {
            match path.is_dir() {
                true => models.add_folder(path)?,
                false => models.add_named(path)?,
            }
        }
        models.files.sort_by(|one, other| one.name.cmp(&other.name));
        match models.files.iter().all(|file| file.read().is_err()) {
            true => Err(models.unreadable().next().unwrap_or_else(|| anyhow!("there are no models"))),
            false => Ok(models),
        }
    }

    /// Why models cannot be read, for each of which that is true.
    pub fn unreadable(&self) -> impl Iterator<Item = anyhow::Error> {
        self.files.iter().filter_map(|file| file.read().err())
    }

    fn add_folder(&mut self, path: &Path) -> Result<()> {
        let folder = Folder::open(path).with_context(|| format!("cannot read {}", shown(path)))?;
        for (name, usable) in find::collect_inside(path, find::FileKinds::Agents) {
            let name = PathBuf::from(name);
            let file = usable.and_then(|()| folder.file(&name).map_err(|error| error.to_string()));
            self.add(ServedModel { name, file });
        }
        Ok(())
    }

    fn add_named(&mut self, path: &Path) -> Result<()> {
        for (name, usable) in find::collect(&[path.to_owned()], find::FileKinds::Agents) {
            let name = PathBuf::from(name);
            usable.map_err(|why| anyhow!("{}: {why}", shown(&name)))?;
            if input::is_standard_input(&name) {
                bail!("the page shows files: name one, or a folder of models");
            }
            if !name.exists() {
                bail!("there is no {}: name a model, `*.rcp` or `*.ispl`, or a folder of models", shown(&name));
            }
            if !matches!(Language::of_name(&name), Some(Language::Rcp | Language::Ispl)) {
                bail!(
                    "{}: the page shows models in our language, `*.rcp`, and in ISPL, `*.ispl`; `prove` and `bmc` take others",
                    shown(&name)
                );
            }
            // A link that the command line names is followed here, once.
            let open = || {
                let place = name.canonicalize()?;
                Folder::open(place.parent().unwrap_or(Path::new("/")))?.file(&place)
            };
            let file = open().with_context(|| format!("cannot read {}", shown(&name)))?;
            self.add(ServedModel { name, file: Ok(file) });
        }
        Ok(())
    }

    fn add(&mut self, file: ServedModel) {
        let place = file.file.as_ref().map_or_else(|_| file.name.clone(), Inside::place);
        if self.places.insert(place) {
            self.files.push(file);
        }
    }

    /// Answers a request of a page.
    ///
    /// # Errors
    /// The reason why it has no answer.
    pub fn answer(&self, method: &str, params: Value) -> Result<Value> {
        match method {
            "page/models" => Ok(serde_json::to_value(self.files.iter().map(ServedModel::listed).collect::<Vec<_>>())?),
            "page/read" => {
                let ReadParams { model } = serde_json::from_value(params)?;
                Ok(json!(self.file(model)?.read()?))
            }
            "page/save" => {
                let SaveParams { model, before, text } = serde_json::from_value(params)?;
                self.file(model)?.save(&before, &text)?;
                Ok(Value::Null)
            }
            _ => bail!("there is no method `{method}`"),
        }
    }

    fn file(&self, number: usize) -> Result<&ServedModel> {
        self.files.get(number).ok_or_else(|| anyhow!("there is no model {number}"))
    }
}
