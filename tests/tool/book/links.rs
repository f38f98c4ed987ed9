//! Every link leads somewhere: those of pages, and what sources say of pages.

use super::page::Page;
use crate::tool::project;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// Pages outside of the book.
const OTHERS: [&str; 10] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "specs/README.md",
    "benchmarks/README.md",
    "python/README.md",
    "editors/vscode/README.md",
    "docs/SUMMARY.md",
];

/// A path without `..`, from the root of the project.
fn resolved(page: &str, target: &str) -> PathBuf {
    let mut path = Path::new(page).parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{page}: {target} leaves the project"),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// The reason why a link is broken, if it is.
fn broken(page: &str, link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with("http://") || link.starts_with("mailto:") {
        return None;
    }
    let (target, anchor) = link.split_once('#').map_or((link, None), |(target, anchor)| (target, Some(anchor)));
    let path = if target.is_empty() { PathBuf::from(page) } else { resolved(page, target) };
    if !project().join(&path).exists() {
        return Some(format!("{page}: there is no {link}"));
    }
    if page.starts_with("docs/") && !path.starts_with("docs") {
        return Some(format!("{page}: {link} leaves the book, which has to stand alone"));
    }
    let anchor = anchor?;
    let known = Page::read(&path.display().to_string()).anchors();
    (!known.iter().any(|name| name == anchor)).then(|| format!("{page}: {link} has no such heading: {known:?}"))
}

#[test]
fn links_of_pages_lead_somewhere() {
    let mut pages = Page::of_book();
    pages.extend(OTHERS.map(Page::read));
    let links = pages.iter().flat_map(|page| page.links().into_iter().map(|link| (page.path.clone(), link)));
    let links: Vec<_> = links.collect();
    assert!(links.len() > 100, "{links:?}");
    let wrong: Vec<String> = links.iter().filter_map(|(page, link)| broken(page, link)).collect();
    assert_eq!(wrong, Vec::<String>::new());
}

/// The table of contents has every page once.
#[test]
fn the_table_of_contents_is_complete() {
    let listed = Page::read("docs/SUMMARY.md").links();
    let all: Vec<String> = listed.iter().map(|link| format!("docs/{link}")).collect();
    let once: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(once.len(), all.len(), "a page is listed twice");
    let pages = Page::of_book().into_iter().map(|page| page.path).filter(|path| path != "docs/SUMMARY.md");
    assert_eq!(once, pages.collect());
}

/// Names of pages with their folder, and perhaps an anchor, in sources and scripts.
#[test]
fn what_sources_say_of_pages_is_there() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for folder in [
        "src",
        "crates",
        "tests",
        "scripts",
        "python",
        "packaging",
        "editors/vscode/src",
        "benchmarks",
        ".cargo",
        ".github",
    ] {
        let is_ours = |name: &str| !["page", "node_modules", "snapshots", "__pycache__"].contains(&name);
        let entries = WalkDir::new(project().join(folder)).into_iter();
        let files =
            entries.filter_entry(|entry| entry.file_name().to_str().is_some_and(is_ours)).filter_map(Result::ok);
        for file in files.filter(|entry| entry.file_type().is_file()) {
            let Ok(text) = std::fs::read_to_string(file.path()) else { continue };
            for (at, _) in text.match_indices("docs/") {
                let is_part = text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '{'));
                let is_link = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '#'));
                let link = text[at..].split(is_link).next().unwrap_or_default().trim_end_matches('.');
                if is_part || !(link.ends_with(".md") || link.contains(".md#")) {
                    continue;
                }
                seen += 1;
                wrong.extend(broken("README.md", link).map(|words| format!("{}: {words}", file.path().display())));
            }
        }
    }
    assert!(seen > 30, "{seen}");
    assert_eq!(wrong, Vec::<String>::new());
}
