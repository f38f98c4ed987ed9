//! The book (`docs/`) and the other pages: nothing that they claim may have become false.

mod console;
mod links;
mod models;
mod page;
mod reference;
