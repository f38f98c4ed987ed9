//! Diagnostics for people: the only module that names ariadne.
