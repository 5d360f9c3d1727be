//! `\startpipeline … \endpipeline`: statements that travel together, before any is answered.

use contract::Dialect;

/// The pipeline that is open at some place in a script.
#[derive(Debug, Default)]
pub(super) struct Pipeline(Option<Start>);

#[derive(Debug)]
struct Start {
    place: String,
    /// The branch of the conditions that it stands in.
    branch: usize,
}

impl Pipeline {
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// `\startpipeline`, in this branch of the conditions.
    pub fn start(&mut self, dialect: Dialect, branch: usize, place: String) -> Result<(), String> {
        if dialect != Dialect::PostgreSql {
            return Err(
                "\\startpipeline is PostgreSQL's: what other servers do behind an error in \
                        a pipeline differs; remove it"
                    .to_owned(),
            );
        }
        if let Some(open) = &self.0 {
            return Err(format!("a pipeline is open since {}; end that one first", open.place));
        }
        self.0 = Some(Start { place, branch });
        Ok(())
    }

    /// `\endpipeline`, in this branch of the conditions.
    pub fn end(&mut self, branch: usize) -> Result<(), String> {
        let start = self.0.take().ok_or("there is no \\startpipeline before it")?;
        if start.branch != branch {
            let place = start.place;
            return Err(format!(
                "it must stand in the same branch of \\if as its \\startpipeline at {place}"
            ));
        }
        Ok(())
    }

    /// The end of the script.
    pub fn finish(&self) -> Result<(), String> {
        match &self.0 {
            None => Ok(()),
            Some(open) => Err(format!("\\endpipeline is missing for {}", open.place)),
        }
    }
}
