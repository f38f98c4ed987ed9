//! Lets the binary and the tests find the Z3 library that they were linked with; the binary of a package finds the one
//! in the places beside it that `RCHECK_SMT_RPATH` says, with a colon between them (`scripts/package`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    println!("cargo:rerun-if-env-changed=RCHECK_SMT_RPATH");
    let places = ["RCHECK_SMT_RPATH", "Z3_LIBRARY_PATH_OVERRIDE"];
    let folders = places.into_iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
