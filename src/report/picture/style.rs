//! The styles of shapes: rules of the style sheet in SVG, options in TikZ.
//!
//! Colours follow the palette of Okabe and Ito, which colour-blind people can tell apart, darkened for text; no meaning is
//! carried by colour alone.

use crate::model::CommandKind;

/// The look of a shape. Colours are six digits; an empty one is none.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Its classes in SVG.
    pub(super) class: &'static str,
    pub(super) fill: &'static str,
    pub(super) stroke: &'static str,
    pub(super) width: f64,
    pub(super) dashes: Dashes,
    pub(super) font: Font,
}

/// The lengths of dashes and of what is between them.
type Dashes = Option<(f64, f64)>;

/// The font of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Font {
    pub(super) size: f64,
    pub(super) is_bold: bool,
    /// Others are monospaced.
    pub(super) is_sans: bool,
}

pub(super) const NORMAL: Font = Font { size: 12.0, is_bold: false, is_sans: false };
const BOLD: Font = Font { is_bold: true, ..NORMAL };

const fn text(class: &'static str, fill: &'static str, font: Font) -> Style {
    Style { font, ..shape(class, fill, "", 0.0, None) }
}

const fn shape(class: &'static str, fill: &'static str, stroke: &'static str, width: f64, dashes: Dashes) -> Style {
    Style { class, fill, stroke, width, dashes, font: NORMAL }
}

/// Styles as constants, and the list of all of them.
macro_rules! styles {
    ($($name:ident = $style:expr;)*) => {
        $(pub const $name: Style = $style;)*
        const ALL: &[Style] = &[$($name),*];
    };
}

styles! {
    PLAIN = text("plain", "222222", NORMAL);
    STRONG = text("strong", "222222", BOLD);
    TITLE = text("title", "222222", Font { size: 15.0, is_bold: true, is_sans: true });
    SMALL = text("small", "555555", Font { size: 10.5, ..NORMAL });
    INVERSE = text("inverse", "ffffff", BOLD);
    REMARK = text("remark", "b00020", NORMAL);

    PAPER = shape("paper", "ffffff", "", 0.0, None);
    BAD = shape("bad", "b00020", "", 0.0, None);
    FRAME_TAB = shape("frame-tab", "6a3d9a", "", 0.0, None);
    BOX = shape("box", "f4f4f1", "555555", 1.0, None);
    NOTE = shape("note", "fffbe6", "b9b08a", 1.0, None);
    QUIET = shape("quiet", "eeeeee", "999999", 1.0, None);
    NODE = shape("node", "f4f4f1", "333333", 1.4, None);
    CUT_NODE = shape("node cut", "f4f4f1", "333333", 1.4, Some((5.0, 3.0)));
    START = shape("start", "333333", "333333", 1.4, None);

    FRAME = shape("frame", "", "6a3d9a", 1.6, None);
    LIFE = shape("life", "", "aaaaaa", 1.0, Some((3.0, 3.0)));
    RULE = shape("rule", "", "e4e4e4", 1.0, None);
    BAD_RULE = shape("bad-rule", "", "b00020", 1.6, None);
}

/// The styles of a kind of messages or commands.
#[derive(Clone, Copy, Debug)]
pub struct KindStyles {
    /// Arrow heads, and what arrows start at.
    pub full: Style,
    /// The end of an arrow that reaches nothing.
    pub open: Style,
    /// Lines between lifelines.
    pub arrow: Style,
    /// Lines between nodes.
    pub edge: Style,
    /// Boxes on these lines.
    pub label: Style,
    /// Names in these boxes.
    pub name: Style,
}

impl KindStyles {
    /// The colour of all of them, as six digits.
    pub fn colour(&self) -> &'static str {
        self.edge.stroke
    }
}

macro_rules! kind {
    ($class:literal, $colour:literal, arrow: $arrow:expr, edge: $width:literal, $edge:expr) => {
        KindStyles {
            full: shape(concat!("full ", $class), $colour, $colour, 1.0, None),
            open: shape(concat!("open ", $class), "ffffff", $colour, 1.8, None),
            arrow: shape(concat!("arrow ", $class), "", $colour, 1.8, $arrow),
            edge: shape(concat!("edge ", $class), "", $colour, $width, $edge),
            label: shape(concat!("label ", $class), "ffffff", $colour, 0.8, None),
            name: text(concat!("command ", $class), $colour, BOLD),
        }
    };
}

/// The styles of a kind. In charts, broadcasts look like sends, and multicasts like receives.
pub(in crate::report) fn styles(kind: CommandKind) -> KindStyles {
    match kind {
        CommandKind::Send => kind!("send", "0072b2", arrow: None, edge: 1.5, None),
        CommandKind::Receive => kind!("receive", "b34700", arrow: None, edge: 1.5, Some((7.0, 4.0))),
        CommandKind::Get => kind!("get", "8a3a73", arrow: Some((6.0, 4.0)), edge: 1.5, Some((2.0, 3.0))),
        CommandKind::Supply => kind!("supply", "00735c", arrow: None, edge: 2.4, None),
    }
}

/// All styles.
pub(super) fn all() -> impl Iterator<Item = Style> {
    let kinds = CommandKind::ALL.into_iter().map(styles);
    let kinds = kinds.flat_map(|it| [it.full, it.open, it.arrow, it.edge, it.label, it.name]);
    ALL.iter().copied().chain(kinds)
}
