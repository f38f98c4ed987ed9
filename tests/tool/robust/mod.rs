//! What goes wrong outside of the tool, and what others write into its files: full disks, files that are none, text that
//! acts where it is shown.

mod disk;
mod forms;
mod hostile;
mod inputs;
mod owners;
