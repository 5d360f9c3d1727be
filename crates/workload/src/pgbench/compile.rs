//! Makes a script of what pgbench's files say, and finds what is wrong with them.

use std::collections::{BTreeMap, BTreeSet};

use contract::{Access, Dialect};

use super::builtin::BUILTINS;
use super::columns::column_names;
use super::conditions::Conditions;
use super::initialize::initialize;
use super::lines::{Command, Content, commands};
use super::meta::{Meta, check_name, read};
use super::options::{PgbenchOptions, ScriptOptions};
use crate::expression::Expression;
use crate::script::{
    Constant, Control, ExpectedErrors, Fetch, FetchedRows, Initial, Mistake, Piece, Program,
    Script, ScriptWorkload, Setup, Slot, Step, TextPiece, access, cut, is_prepared,
};

const LARGEST_SCALE: u64 = 100_000;
const LARGEST_WEIGHT: u64 = 1_000_000_000;

/// Reads a workload.
pub(super) fn compile(
    options: &PgbenchOptions,
    dialect: Dialect,
) -> Result<ScriptWorkload, Mistake> {
    check_numbers(options)?;
    if options.foreign_keys && dialect == Dialect::Sqlite {
        let message = "can't be added to tables of SQLite; remove it";
        return Err(Mistake::new(message).within("foreign_keys"));
    }
    let sources = sources(options)?;
    let mut compiler = Compiler::new(options, dialect, &sources)?;
    for (index, source) in sources.iter().enumerate() {
        compiler
            .program(source)
            .map_err(|message| Mistake::new(message).within(index).within("scripts"))?;
    }
    let mut script = compiler.script;
    script.keeps_state = true;
    let setup = match &options.setup {
        None => initialize(options, dialect),
        Some(steps) => Setup::new(steps, options.teardown.as_deref(), &options.checks, dialect)?,
    };
    Ok(ScriptWorkload::new(script, setup, dialect))
}

fn check_numbers(options: &PgbenchOptions) -> Result<(), Mistake> {
    if !(1..=LARGEST_SCALE).contains(&options.scale) {
        let message = format!("must be a whole number from 1 to {LARGEST_SCALE}");
        return Err(Mistake::new(message).within("scale"));
    }
    if options.fillfactor.is_some_and(|fillfactor| !(10..=100).contains(&fillfactor)) {
        return Err(Mistake::new("must be a whole number from 10 to 100").within("fillfactor"));
    }
    Ok(())
}

/// A script with its text.
struct Source<'a> {
    /// In results.
    name: String,
    /// In messages.
    file: &'a str,
    text: &'a str,
    weight: u64,
}

fn sources(options: &PgbenchOptions) -> Result<Vec<Source<'_>>, Mistake> {
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
            if sources.iter().any(|other| other.name == source.name) {
                source.name = format!("{}-{}", source.name, index + 1);
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

struct Compiler<'a> {
    dialect: Dialect,
    script: Script,
    /// Every variable that has a value from the beginning, or gets one somewhere.
    slots: BTreeMap<String, Slot>,
    expected: ExpectedErrors,
    options: &'a PgbenchOptions,
}

impl<'a> Compiler<'a> {
    fn new(
        options: &'a PgbenchOptions,
        dialect: Dialect,
        sources: &[Source<'_>],
    ) -> Result<Self, Mistake> {
        let mut expected = ExpectedErrors::default();
        for (index, error) in options.expected_errors.iter().enumerate() {
            expected
                .add(error, dialect)
                .map_err(|message| Mistake::new(message).within(index).within("expected_errors"))?;
        }
        let slots = BTreeMap::new();
        let mut compiler = Self { dialect, script: Script::default(), slots, expected, options };
        compiler.give_initial_values()?;
        for source in sources {
            for name in names_set(source.text) {
                compiler.slot(&name);
            }
        }
        Ok(compiler)
    }

    fn give_initial_values(&mut self) -> Result<(), Mistake> {
        let scale = Constant::Int(self.options.scale.cast_signed());
        for (name, initial) in [
            ("scale", Initial::Constant(scale)),
            ("client_id", Initial::ClientId),
            ("random_seed", Initial::Seed),
            ("default_seed", Initial::SeedOfHashes),
        ] {
            let slot = self.slot(name);
            self.script.initial.push((slot, initial));
        }
        for (name, value) in &self.options.variables {
            let within = |message| Mistake::new(message).within(name.as_str()).within("variables");
            check_name(name).map_err(within)?;
            let slot = self.slot(name);
            self.script.initial.push((slot, Initial::Constant(value.clone())));
        }
        Ok(())
    }

    fn slot(&mut self, name: &str) -> Slot {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = self.script.variable(name, None);
        self.slots.insert(name.to_owned(), slot);
        slot
    }

    fn find(&self, name: &str) -> Result<Slot, String> {
        self.slots.get(name).copied().ok_or_else(|| {
            let known: Vec<&str> = self.slots.keys().map(String::as_str).collect();
            format!("unknown variable :{name}; known: {}", known.join(", "))
        })
    }

    fn program(&mut self, source: &Source<'_>) -> Result<(), String> {
        let commands = commands(source.text);
        let texts = commands.iter().filter_map(|command| match &command.content {
            Content::Sql { text, .. } => Some(text.as_str()),
            Content::Meta { .. } => None,
        });
        let mut body = Body {
            access: access(texts, self.dialect),
            steps: Vec::new(),
            conditions: Conditions::default(),
        };
        for (index, command) in commands.iter().enumerate() {
            let place = format!("{}:{}", source.file, command.line);
            let result = match &command.content {
                Content::Sql { text, is_joined } => {
                    let next = commands.get(index + 1).map(|next| &next.content);
                    self.sql(text, *is_joined, next, &mut body)
                }
                Content::Meta { name, rest } => {
                    let previous = index.checked_sub(1).map(|index| &commands[index].content);
                    self.meta(name, rest, previous, &mut body, &place)
                }
            };
            result.map_err(|message| format!("{place}: {message}"))?;
        }
        let end = || format!("{}: ", source.file);
        body.conditions.finish().map_err(|message| end() + &message)?;
        if !body.steps.iter().any(Step::reaches_server) {
            return Err(end() + "has no statement; write one, or remove it");
        }
        let (name, weight) = (source.name.clone(), source.weight);
        let (steps, expected) = (body.steps, self.expected.clone());
        self.script.programs.push(Program { name, weight, draws: Vec::new(), steps, expected });
        Ok(())
    }

    fn meta(
        &mut self,
        name: &str,
        rest: &str,
        previous: Option<&Content<'_>>,
        body: &mut Body,
        place: &str,
    ) -> Result<(), String> {
        let place = place.to_owned();
        match read(name, rest)? {
            Meta::Set { name, expression } => {
                let expression = self.expression(expression)?;
                let slot = self.slot(name);
                body.steps.push(Step::Set { slot, expression, place });
            }
            Meta::If(condition) => {
                let condition = self.expression(condition)?;
                body.conditions.begin(condition, place, &mut body.steps);
            }
            Meta::ElseIf(condition) => {
                let condition = self.expression(condition)?;
                body.conditions.otherwise_if(condition, place, &mut body.steps)?;
            }
            Meta::Else => body.conditions.otherwise(&mut body.steps)?,
            Meta::EndIf => body.conditions.end(&mut body.steps)?,
            Meta::Sleep { length, unit_ns } => {
                let length = length.resolve(|name| self.find(name))?;
                body.steps.push(Step::Sleep { length, unit_ns, place });
            }
            // It was taken together with the statement before it.
            Meta::GetOne { .. } | Meta::GetAll { .. } => match previous {
                Some(Content::Sql { .. }) => {}
                _ => return Err(format!("\\{name} must follow an SQL command")),
            },
        }
        Ok(())
    }

    fn expression(&self, text: &str) -> Result<Expression, String> {
        Expression::parse(text, &mut |name| self.find(name))
            .map_err(|message| format!("in the expression {text}: {message}"))
    }

    fn sql(
        &mut self,
        text: &str,
        is_joined: bool,
        next: Option<&Content<'_>>,
        body: &mut Body,
    ) -> Result<(), String> {
        let control = if is_joined { Control::None } else { Control::of(text, self.dialect) };
        match control {
            Control::Begin => body.steps.push(Step::Begin(body.access)),
            Control::Commit => body.steps.push(Step::Commit),
            Control::Rollback => body.steps.push(Step::Rollback),
            Control::None | Control::BeginWithOptions => {
                let fetch = self.fetch(text, is_joined, next)?;
                let opens = control == Control::BeginWithOptions;
                let step = self.statement(text, is_joined, opens, fetch)?;
                body.steps.push(step);
            }
        }
        Ok(())
    }

    fn fetch(
        &mut self,
        text: &str,
        is_joined: bool,
        next: Option<&Content<'_>>,
    ) -> Result<Option<Fetch>, String> {
        let Some(Content::Meta { name, rest }) = next else { return Ok(None) };
        let (rows, prefix) = match read(name, rest) {
            Ok(Meta::GetOne { prefix }) => (FetchedRows::ExactlyOne, prefix),
            Ok(Meta::GetAll { prefix }) => (FetchedRows::Last, prefix),
            _ => return Ok(None),
        };
        if is_joined {
            return Err(format!("\\{name} behind statements joined by \\; is not supported"));
        }
        let mut slots = Vec::new();
        for column in column_names(text).map_err(|message| format!("\\{name}: {message}"))? {
            slots.push(self.slot(check_name(&format!("{prefix}{column}"))?));
        }
        Ok(Some(self.script.fetch(slots, rows)))
    }

    /// A prepared statement where it can be one: where a variable stands in a string or inside a
    /// name, its text is put there, as pgbench does in its mode `simple`.
    fn statement(
        &mut self,
        sql: &str,
        is_joined: bool,
        opens: bool,
        fetch: Option<Fetch>,
    ) -> Result<Step, String> {
        if is_joined && self.dialect != Dialect::PostgreSql {
            return Err("\\; joins statements into one message, which only PostgreSQL takes; end \
                        each with ; instead"
                .to_owned());
        }
        let pieces = cut(sql, self.dialect);
        let is_text = is_joined
            || opens
            || pieces.iter().any(|piece| match piece {
                Piece::Embedded(name) => self.slots.contains_key(*name),
                Piece::QuestionMark => true,
                _ => false,
            });
        let has_variables = pieces.iter().any(|piece| matches!(piece, Piece::Variable(_)));
        if is_text || (!has_variables && !is_prepared(sql, self.dialect)) {
            return Ok(Step::Send { text: self.text(&pieces)?, opens, fetch });
        }
        let (mut text, mut parameters) = (String::new(), Vec::new());
        for piece in &pieces {
            if let Piece::Variable(name) = piece {
                parameters.push(self.find(name)?);
                text.push('?');
            } else {
                text.push_str(&verbatim(piece));
            }
        }
        Ok(Step::Execute { statement: self.script.statement(text), parameters, fetch })
    }

    fn text(&self, pieces: &[Piece<'_>]) -> Result<Vec<TextPiece>, String> {
        let of_piece = |piece: &Piece<'_>| match piece {
            Piece::Variable(name) => self.find(name).map(TextPiece::Variable),
            Piece::Embedded(name) if self.slots.contains_key(*name) => {
                self.find(name).map(TextPiece::Variable)
            }
            other => Ok(TextPiece::Verbatim(verbatim(other))),
        };
        pieces.iter().map(of_piece).collect()
    }
}

fn verbatim(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Verbatim(text) => (*text).to_owned(),
        Piece::Variable(name) | Piece::Embedded(name) => format!(":{name}"),
        Piece::QuestionMark => "?".to_owned(),
        Piece::Semicolon => ";".to_owned(),
    }
}

/// A script while its steps are made.
struct Body {
    access: Access,
    steps: Vec<Step>,
    conditions: Conditions,
}

/// The variables that a script gives values to. What is wrong with it is found later.
fn names_set(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut sql = None;
    for Command { content, .. } in commands(text) {
        match content {
            Content::Sql { text, .. } => sql = Some(text),
            Content::Meta { name, rest } => {
                match read(name, &rest) {
                    Ok(Meta::Set { name, .. }) => {
                        names.insert(name.to_owned());
                    }
                    Ok(Meta::GetOne { prefix } | Meta::GetAll { prefix }) => {
                        let columns = sql.as_deref().map(column_names);
                        let columns = columns.and_then(Result::ok).unwrap_or_default();
                        names.extend(columns.iter().map(|column| format!("{prefix}{column}")));
                    }
                    _ => {}
                }
                sql = None;
            }
        }
    }
    names
}
