//! Every command and every code has its place in the reference, and `explain` shows the pages of codes.

use super::page::Page;
use crate::manual::commands;
use crate::tool::Folder;
use rcheck_smt::diag::Code;

/// Each command has a section, in the order of the help, which shows its help in a block that is run.
#[test]
fn commands_have_sections() {
    let folder = Folder::new("book_commands");
    let page = Page::read("docs/commands.md");
    let commands = commands(&folder);
    let headings = page.headings();
    let sections: Vec<&String> = headings.iter().filter(|heading| commands.contains(heading)).collect();
    assert_eq!(sections, commands.iter().collect::<Vec<_>>());
    for command in commands {
        let shows = |text: &str| text.lines().any(|line| line == format!("$ rcheck-smt {command} --help"));
        assert!(page.blocks().iter().any(|block| block.language == "console" && shows(&block.text)), "{command}");
    }
}

/// The list of codes is that of the tool, with links to all pages.
#[test]
fn codes_have_pages() {
    let list = Page::read("docs/diagnostics.md");
    let links = list.links();
    for code in Code::ALL {
        let path = format!("diagnostics/{}.md", code.as_str());
        assert!(links.contains(&path), "{path}");
        let page = Page::read(&format!("docs/{path}"));
        let heading = page.headings().into_iter().next().expect("a heading");
        assert!(heading.starts_with(&format!("{}: ", code.as_str())), "{heading}");
        assert_eq!(page.text, code.page());
    }
    assert_eq!(links.iter().filter(|link| link.starts_with("diagnostics/")).count(), Code::ALL.len());
}

#[test]
fn explain_prints_pages_and_names_near_codes() {
    let folder = Folder::new("book_explain");
    let page = folder.run(0, &["explain", "e0205"]).stdout;
    assert!(
        page.starts_with("E0205: an agent without a relabelling") && page.contains("    relabel: free <- !busy"),
        "{page}"
    );
    let list = folder.run(0, &["explain"]).stdout;
    assert!(Code::ALL.iter().all(|code| list.contains(&format!("{}  {}", code.as_str(), code.meaning()))), "{list}");
    let near = folder.run(2, &["explain", "E0305"]).stderr;
    assert!(
        near.contains("there is no code `E0305`; did you mean E0105, E0205, E0301, E0302, E0303, E0304?"),
        "{near}"
    );
    assert!(folder.run(2, &["explain", "X9"]).stderr.contains("`rcheck-smt explain` lists all of them"));
}
