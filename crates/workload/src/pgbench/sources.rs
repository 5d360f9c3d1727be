//! The scripts of a workload with their texts and names.

use super::builtin::BUILTINS;
use super::options::{PgbenchOptions, ScriptOptions};
use crate::script::Mistake;

const LARGEST_WEIGHT: u64 = 1_000_000_000;

/// A script with its text.
pub(super) struct Source<'a> {
    /// In results.
    pub name: String,
    /// In messages.
    pub file: &'a str,
    pub text: &'a str,
    pub weight: u64,
}

/// The scripts of a workload, each by a name of its own.
pub(super) fn sources(options: &PgbenchOptions) -> Result<Vec<Source<'_>>, Mistake> {
    if options.scripts.is_empty() {
        return Err(Mistake::new("is empty; give at least one").within("scripts"));
    }
    let mut sources: Vec<Source<'_>> = Vec::new();
    for (index, script) in options.scripts.iter().enumerate() {
        let source = source(script).and_then(|mut source| {
            if !(1..=LARGEST_WEIGHT).contains(&source.weight) {
                let message = format!("is {}; give a whole number from 1 on", source.weight);
                return Err(Mistake::new(message).within("weight"));
            }
            let stem = source.name.clone();
            let mut number = index + 1;
            while sources.iter().any(|other| other.name == source.name) {
                source.name = format!("{stem}-{number}");
                number += 1;
            }
            Ok(source)
        });
        sources.push(source.map_err(|mistake| mistake.within(index).within("scripts"))?);
    }
    Ok(sources)
}

fn source(script: &ScriptOptions) -> Result<Source<'_>, Mistake> {
    let weight = script.weight;
    if let Some(name) = &script.builtin {
        let Some(builtin) = BUILTINS.iter().find(|builtin| builtin.name == name) else {
            let names: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
            let message = format!("{name:?} is not built in; known: {}", names.join(", "));
            return Err(Mistake::new(message).within("builtin"));
        };
        return Ok(Source { name: name.clone(), file: name, text: builtin.text, weight });
    }
    let file = script.file.as_deref().unwrap_or("script");
    match &script.text {
        Some(text) => Ok(Source { name: name_of(file), file, text, weight }),
        None => Err(Mistake::new("must be one of builtin and file")),
    }
}

/// A file's name as that of a transaction: without folders and ending.
fn name_of(file: &str) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    let name: String = stem.chars().map(|c| if is_name(c) { c } else { '_' }).collect();
    if name.is_empty() || name == "all" { format!("script-{name}") } else { name }
}
