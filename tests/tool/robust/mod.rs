//! Faults outside of the tool, and hostile texts in its files: full disks, files that are none, text that acts where it
//! is shown.

mod disk;
mod forms;
mod hostile;
mod inputs;
mod owners;
