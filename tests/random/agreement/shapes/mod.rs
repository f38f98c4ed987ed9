//! Random models and specs by shapes.
//!
//! The generator of `differential` draws from the whole grammar, which makes most formulas shallow in what
//! matters here. These are the shapes in which obligations meet: premises with their conclusions, responses,
//! untils and releases within each other and directly under `X` and observations, the same one at several
//! places, Boolean mixtures, and at least four operators deep.

mod model;
mod spec;
mod tree;

pub use model::model;
