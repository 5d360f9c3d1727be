//! Makes a script of what pgbench's files say, and finds what is wrong with them.

use std::collections::BTreeMap;

use contract::{Access, Dialect, Verb};

use super::conditions::Conditions;
use super::initialize::initialize;
use super::lines::{Content, commands};
use super::meta::{Meta, check_name, read};
use super::names::Names;
use super::options::PgbenchOptions;
use super::pipeline::Pipeline;
use super::sources::{Source, sources};
use crate::expression::Expression;
use crate::script::{
    Constant, Control, ExpectedErrors, Fetch, Initial, Mistake, Piece, Program, Script,
    ScriptWorkload, Setup, Slot, Step, TextPiece, access, cut, is_prepared, shares_round_trips,
};

const LARGEST_SCALE: u64 = 100_000;

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

pub(super) struct Compiler<'a> {
    pub dialect: Dialect,
    pub script: Script,
    /// Every variable that has a value from the beginning, or gets one somewhere.
    pub slots: BTreeMap<String, Slot>,
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
        let mut names = Names::default();
        for source in sources {
            names.add(source.text);
        }
        for name in names.set.iter().map(String::as_str).chain(names.perhaps_set()) {
            compiler.slot(name);
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

    pub fn slot(&mut self, name: &str) -> Slot {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = self.script.variable(name, None);
        self.slots.insert(name.to_owned(), slot);
        slot
    }

    pub fn find(&self, name: &str) -> Result<Slot, String> {
        self.slots.get(name).copied().ok_or_else(|| {
            let known: Vec<&str> = self.slots.keys().map(String::as_str).collect();
            format!("unknown variable :{name}; known: {}", known.join(", "))
        })
    }

    fn program(&mut self, source: &Source<'_>) -> Result<(), String> {
        let commands = commands(source.text);
        let texts = commands.iter().flat_map(|command| match &command.content {
            Content::Sql(statements) => statements.as_slice(),
            Content::Meta { .. } => &[],
        });
        let mut body = Body {
            access: access(texts.map(String::as_str), self.dialect),
            steps: Vec::new(),
            conditions: Conditions::default(),
            pipeline: Pipeline::default(),
        };
        for (index, command) in commands.iter().enumerate() {
            let place = format!("{}:{}", source.file, command.line);
            let result = match &command.content {
                Content::Sql(statements) if body.pipeline.is_open() => {
                    self.queued(statements, &mut body)
                }
                Content::Sql(statements) => {
                    let next = commands.get(index + 1).map(|next| &next.content);
                    self.sql(statements, next, &mut body)
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
        body.pipeline.finish().map_err(|message| end() + &message)?;
        if body.steps.is_empty() {
            return Err(end() + "has no command; write one, or remove it");
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
            Meta::GetOne { .. } | Meta::GetAll { .. } if body.pipeline.is_open() => {
                return Err(format!("\\{name} is not allowed in a pipeline, as in pgbench"));
            }
            // It was taken together with the statement before it.
            Meta::GetOne { .. } | Meta::GetAll { .. } => match previous {
                Some(Content::Sql(_)) => {}
                _ => return Err(format!("\\{name} must follow an SQL command")),
            },
            Meta::StartPipeline => {
                body.pipeline.start(self.dialect, body.conditions.branch(), place)?;
            }
            Meta::EndPipeline => {
                body.pipeline.end(body.conditions.branch())?;
                body.steps.push(Step::Flush);
            }
        }
        Ok(())
    }

    fn expression(&self, text: &str) -> Result<Expression, String> {
        Expression::parse(text, &mut |name| self.find(name))
            .map_err(|message| format!("in the expression {text}: {message}"))
    }

    fn sql(
        &mut self,
        statements: &[String],
        next: Option<&Content<'_>>,
        body: &mut Body,
    ) -> Result<(), String> {
        let control = match statements {
            [alone] => Control::of(alone, self.dialect),
            _ => Control::None,
        };
        let step = match control {
            Control::Begin => Step::Begin(body.access),
            Control::Commit => Step::Commit,
            Control::Rollback => Step::Rollback,
            Control::None | Control::BeginWithOptions => {
                let fetches = self.fetches(statements, next)?;
                self.statement(statements, control == Control::BeginWithOptions, fetches)?
            }
        };
        body.steps.push(step);
        Ok(())
    }

    /// A prepared statement where it can be one: where a variable stands in a string or inside a
    /// name, its text is put there, as pgbench does in its mode `simple`.
    fn statement(
        &mut self,
        statements: &[String],
        opens: bool,
        mut fetches: Vec<Fetch>,
    ) -> Result<Step, String> {
        let is_joined = statements.len() > 1;
        if is_joined && self.dialect != Dialect::PostgreSql {
            return Err("\\; joins statements into one message, which only PostgreSQL takes; end \
                        each with ; instead"
                .to_owned());
        }
        let sql = statements.join("; ");
        let pieces = cut(&sql, self.dialect);
        let has_variables = pieces.iter().any(|piece| matches!(piece, Piece::Variable(_)));
        let is_pasted = self.options.variables_in_text && has_variables;
        // What sets autocommit is followed in its text.
        let is_followed = Verb::of(&sql, self.dialect).leaves_open();
        let is_text = is_joined || opens || is_followed || is_pasted || self.is_text(&pieces);
        if is_text || (!has_variables && !is_prepared(&sql, self.dialect)) {
            return Ok(Step::Send { text: self.text(&pieces)?, opens, fetches });
        }
        let shares = shares_round_trips(&sql, self.dialect);
        let (statement, parameters) = self.prepared(&pieces)?;
        Ok(Step::Execute { statement, parameters, fetch: fetches.pop(), shares })
    }

    /// Whether a statement can be sent only as text.
    pub fn is_text(&self, pieces: &[Piece<'_>]) -> bool {
        pieces.iter().any(|piece| match piece {
            Piece::Embedded(name) => self.slots.contains_key(*name),
            Piece::QuestionMark => true,
            _ => false,
        })
    }

    /// A prepared statement, and its parameters.
    pub fn prepared(&mut self, pieces: &[Piece<'_>]) -> Result<(usize, Vec<Slot>), String> {
        let (mut text, mut parameters) = (String::new(), Vec::new());
        for piece in pieces {
            if let Piece::Variable(name) = piece {
                parameters.push(self.find(name)?);
                text.push('?');
            } else {
                text.push_str(&verbatim(piece));
            }
        }
        Ok((self.script.statement(text), parameters))
    }

    fn text(&self, pieces: &[Piece<'_>]) -> Result<Vec<TextPiece>, String> {
        let of_piece = |piece: &Piece<'_>| match piece {
            Piece::Variable(name) => self.find(name).map(TextPiece::Variable),
            Piece::Embedded(name) if self.slots.contains_key(*name) => {
                self.find(name).map(TextPiece::Embedded)
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
pub(super) struct Body {
    pub access: Access,
    pub steps: Vec<Step>,
    conditions: Conditions,
    pipeline: Pipeline,
}
