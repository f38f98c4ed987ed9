//! Pages in Markdown: their blocks of code, headings and links.

use crate::tool::project;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use walkdir::WalkDir;

/// A page of the project.
pub struct Page {
    /// Its path from the root of the project, with `/`.
    pub path: String,
    pub text: String,
}

/// A fenced block of code.
pub struct Block {
    /// The first word behind the fence.
    pub language: String,
    /// The words behind the language, as `file=room.rcp`.
    pub words: Vec<String>,
    pub text: String,
    /// The place of the text in the page.
    pub range: Range<usize>,
    /// The line of the fence, from 1.
    pub line: usize,
}

impl Page {
    pub fn read(path: &str) -> Page {
        let text = std::fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Page { path: path.to_owned(), text }
    }

    /// The pages of the book, in the order of their paths.
    pub fn of_book() -> Vec<Page> {
        let entries = WalkDir::new(project().join("docs")).sort_by_file_name().into_iter();
        let paths = entries.map(|entry| entry.expect("a readable folder").into_path());
        let pages = paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        let relative = pages.map(|path| path.strip_prefix(project()).expect("below the root").display().to_string());
        relative.map(|path| Page::read(&path)).collect()
    }

    fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES).into_offset_iter()
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut is_code = false;
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let mut words = info.split([',', ' ']).map(str::to_owned);
                    let language = words.next().unwrap_or_default();
                    let line = self.text[..range.start].lines().count() + 1;
                    let (words, start) =
                        (words.collect(), range.start + self.text[range].find('\n').map_or(0, |end| end + 1));
                    blocks.push(Block { language, words, text: String::new(), range: start..start, line });
                    is_code = true;
                }
                Event::Text(text) if is_code => {
                    let block = blocks.last_mut().expect("a block has begun");
                    block.text.push_str(&text);
                    block.range.end = range.end;
                }
                Event::End(TagEnd::CodeBlock) => is_code = false,
                _ => {}
            }
        }
        blocks
    }

    /// The targets of its links and pictures.
    pub fn links(&self) -> Vec<String> {
        let target = |event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(CowStr::into_string(dest_url))
            }
            _ => None,
        };
        self.events().filter_map(|(event, _)| target(event)).collect()
    }

    /// Its headings, as their text.
    pub fn headings(&self) -> Vec<String> {
        let (mut headings, mut open) = (Vec::new(), None);
        for (event, _) in self.events() {
            match (event, &mut open) {
                (Event::Start(Tag::Heading { .. }), _) => open = Some(String::new()),
                (Event::End(TagEnd::Heading(_)), _) => headings.extend(open.take()),
                (Event::Text(text) | Event::Code(text), Some(heading)) => heading.push_str(&text),
                _ => {}
            }
        }
        headings
    }

    /// The anchors of its headings, which links have behind `#`, as mdBook and GitHub make them.
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for heading in self.headings() {
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
            let same = anchors.iter().filter(|known| **known == anchor).count();
            anchors.push(if same == 0 { anchor } else { format!("{anchor}-{same}") });
        }
        anchors
    }
}
