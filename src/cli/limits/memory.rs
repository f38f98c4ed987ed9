//! The memory of processes, as the kernel counts it. Where there is no `/proc`, nothing is known, and limits are only
//! those of the solver.

use std::fs;

/// In megabytes: what a process has in memory now.
pub fn resident(process: u32) -> Option<f64> {
    field(&process.to_string(), "VmRSS:")
}

/// In megabytes: the most that this process had in memory since [`forget_peak`].
pub fn peak() -> Option<f64> {
    field("self", "VmHWM:")
}

/// Starts to look for the peak anew. Where the kernel refuses, the peak is that of the whole life of the process.
pub fn forget_peak() {
    const PEAK_ONLY: &str = "5";
    let _ = fs::write("/proc/self/clear_refs", PEAK_ONLY);
}

fn field(process: &str, name: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kilobytes / 102.4).round() / 10.0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted() {
        forget_peak();
        let before = resident(std::process::id()).expect("there is a /proc");
        // Hidden from the optimiser, which needs no memory for what is not read.
        let much = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(resident(std::process::id()).expect("still there") > before + 50.0, "{}", much.len());
        assert!(peak().expect("there is a /proc") > before + 50.0);
        assert_eq!(resident(0), None);
    }
}
