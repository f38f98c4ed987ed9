//! What words look like in a terminal.

use anstyle::{AnsiColor, Style};

pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const OPEN: Style = AnsiColor::Yellow.on_default().bold();
pub const HEADING: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const CHANGE: Style = AnsiColor::Cyan.on_default();
/// What only leads on.
pub const MARK: Style = AnsiColor::Yellow.on_default();
