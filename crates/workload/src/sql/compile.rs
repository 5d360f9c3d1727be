//! Makes a script of what a file says, and finds what is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use contract::{Access, Dialect, Verb};

use super::options::{SqlOptions, StatementOptions, TransactionOptions};
use crate::script::{
    Control, ExpectedErrors, Fetch, FetchedRows, Mistake, Piece, Program, Script, ScriptWorkload,
    Setup, Slot, Step, TextPiece, WrittenError, access, cut, is_prepared, shares_round_trips,
};

/// The name that stands for all kinds together in results.
const RESERVED_NAME: &str = "all";

/// Weights are shares of something; beyond this a number is a slip of the finger.
const LARGEST_WEIGHT: u64 = 1_000_000_000;

/// Reads a workload.
pub(super) fn compile(options: &SqlOptions, dialect: Dialect) -> Result<ScriptWorkload, Mistake> {
    let mut compiler = Compiler::new(dialect);
    for (name, variable) in &options.variables {
        let built = variable.build().map_err(|m| m.within(name.as_str()).within("variables"))?;
        check_name(name).map_err(|m| m.within(name.as_str()).within("variables"))?;
        let slot = compiler.script.variable(name, Some(built));
        compiler.shared.insert(name.clone(), slot);
    }
    let expected = errors(&options.expected_errors, dialect)?;
    if options.transactions.is_empty() {
        return Err(Mistake::new("is empty; give at least one").within("transactions"));
    }
    for (name, transaction) in &options.transactions {
        compiler
            .transaction(name, transaction, expected.clone())
            .map_err(|mistake| mistake.within(name.as_str()).within("transactions"))?;
    }
    compiler.refuse_unused(&options.variables.keys().cloned().collect::<Vec<_>>())?;
    let setup = Setup::new(&options.setup, options.teardown.as_deref(), &options.checks, dialect)?;
    Ok(ScriptWorkload::new(compiler.script, setup, dialect))
}

fn errors(written: &[WrittenError], dialect: Dialect) -> Result<ExpectedErrors, Mistake> {
    let mut expected = ExpectedErrors::default();
    add_errors(&mut expected, written, dialect)?;
    Ok(expected)
}

fn add_errors(
    expected: &mut ExpectedErrors,
    written: &[WrittenError],
    dialect: Dialect,
) -> Result<(), Mistake> {
    for (index, error) in written.iter().enumerate() {
        expected
            .add(error, dialect)
            .map_err(|message| Mistake::new(message).within(index).within("expected_errors"))?;
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), Mistake> {
    let starts_well = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if starts_well && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Ok(());
    }
    Err(Mistake::new(format!(
        "{name:?} is not a variable's name; use letters, digits and _, and no digit at first"
    )))
}

struct Compiler {
    dialect: Dialect,
    script: Script,
    /// The variables that all transactions may use.
    shared: BTreeMap<String, Slot>,
    used: BTreeSet<Slot>,
}

/// The variables of one transaction while its statements are read.
struct Scope {
    /// Drawn for it alone.
    own: BTreeMap<String, Slot>,
    /// Taken from rows, from some statement on.
    fetched: BTreeMap<String, Slot>,
    /// What later statements take from rows, for the message.
    later: BTreeSet<String>,
    draws: BTreeSet<Slot>,
    is_open: bool,
}

impl Compiler {
    fn new(dialect: Dialect) -> Self {
        let (shared, used) = (BTreeMap::new(), BTreeSet::new());
        Self { dialect, script: Script::default(), shared, used }
    }

    fn transaction(
        &mut self,
        name: &str,
        options: &TransactionOptions,
        mut expected: ExpectedErrors,
    ) -> Result<(), Mistake> {
        check_transaction(name, options)?;
        let mut scope = self.scope(options)?;
        add_errors(&mut expected, &options.expected_errors, self.dialect)?;
        let texts = options.statements.iter().map(|statement| statement.sql.as_str());
        let access = access(texts, self.dialect);
        let mut steps = Vec::new();
        for (index, statement) in options.statements.iter().enumerate() {
            let step = self.statement(statement, access, &mut scope);
            steps.push(step.map_err(|mistake| mistake.within(index).within("statements"))?);
        }
        if scope.is_open {
            let message = "is left open by its statements; end them with COMMIT or ROLLBACK";
            return Err(Mistake::new(message).within("statements"));
        }
        for (variable, slot) in &scope.own {
            if !self.used.contains(slot) {
                return Err(unused(variable).within(variable.as_str()).within("variables"));
            }
        }
        let draws = scope.draws.into_iter().collect();
        let (name, weight) = (name.to_owned(), options.weight);
        self.script.programs.push(Program { name, weight, draws, steps, expected });
        Ok(())
    }

    fn scope(&mut self, options: &TransactionOptions) -> Result<Scope, Mistake> {
        let mut own = BTreeMap::new();
        for (name, variable) in &options.variables {
            let within = |mistake: Mistake| mistake.within(name.as_str()).within("variables");
            check_name(name).map_err(within)?;
            if self.shared.contains_key(name) {
                let message = "is a variable of the whole workload as well; rename one of the two";
                return Err(within(Mistake::new(message)));
            }
            let built = variable.build().map_err(within)?;
            own.insert(name.clone(), self.script.variable(name, Some(built)));
        }
        let later = options.statements.iter().flat_map(|statement| statement.into.clone());
        Ok(Scope {
            own,
            fetched: BTreeMap::new(),
            later: later.collect(),
            draws: BTreeSet::new(),
            is_open: false,
        })
    }

    fn statement(
        &mut self,
        statement: &StatementOptions,
        access: Access,
        scope: &mut Scope,
    ) -> Result<Step, Mistake> {
        let sql = statement.sql.trim().trim_end_matches(';').trim_end();
        if sql.is_empty() {
            return Err(Mistake::new("is empty; write a statement, or remove it").within("sql"));
        }
        let control = Control::of(sql, self.dialect);
        scope.follow(control).map_err(|mistake| mistake.within("sql"))?;
        match control {
            Control::None | Control::BeginWithOptions => {}
            _ if !statement.into.is_empty() => {
                return Err(Mistake::new("gives no row; remove it").within("into"));
            }
            Control::Begin => return Ok(Step::Begin(access)),
            Control::Commit => return Ok(Step::Commit),
            Control::Rollback => return Ok(Step::Rollback),
        }
        let (sql, parameters) =
            self.placeholders(sql, scope).map_err(|mistake| mistake.within("sql"))?;
        let opens = control == Control::BeginWithOptions;
        let fetch = self.fetch(statement, scope)?;
        if !parameters.is_empty() && Verb::of(&sql, self.dialect).leaves_open() {
            let message = "sets autocommit or completion_type to a variable; write the value";
            return Err(Mistake::new(message).within("sql"));
        }
        if opens || (parameters.is_empty() && !is_prepared(&sql, self.dialect)) {
            let (text, fetches) = (vec![TextPiece::Verbatim(sql)], fetch.into_iter().collect());
            return Ok(Step::Send { text, opens, fetches });
        }
        let shares = shares_round_trips(&sql, self.dialect);
        Ok(Step::Execute { statement: self.script.statement(sql), parameters, fetch, shares })
    }

    /// The statement with `?` in place of its variables, and these in order.
    fn placeholders(
        &mut self,
        sql: &str,
        scope: &mut Scope,
    ) -> Result<(String, Vec<Slot>), Mistake> {
        let (mut text, mut slots) = (String::new(), Vec::new());
        for piece in cut(sql, self.dialect) {
            match piece {
                Piece::Verbatim(verbatim) => text.push_str(verbatim),
                Piece::Embedded(name) => {
                    text.push(':');
                    text.push_str(name);
                }
                Piece::Variable(name) => {
                    slots.push(self.find(name, scope)?);
                    text.push('?');
                }
                Piece::QuestionMark => {
                    return Err(Mistake::new(
                        "has a ? outside of quotes, which drivers take for a parameter; write a \
                         variable as :name",
                    ));
                }
                Piece::Semicolon => {
                    return Err(Mistake::new(
                        "is more than one statement; make each of them an entry of the list",
                    ));
                }
            }
        }
        Ok((text, slots))
    }

    fn find(&mut self, name: &str, scope: &mut Scope) -> Result<Slot, Mistake> {
        if let Some(slot) = scope.fetched.get(name) {
            return Ok(*slot);
        }
        if let Some(slot) = scope.own.get(name).or_else(|| self.shared.get(name)) {
            self.used.insert(*slot);
            scope.draws.insert(*slot);
            return Ok(*slot);
        }
        if scope.later.contains(name) {
            return Err(Mistake::new(format!(
                "uses :{name}, which only a later statement takes from its row; put that one first"
            )));
        }
        let known: BTreeSet<&str> =
            scope.own.keys().chain(self.shared.keys()).map(String::as_str).collect();
        Err(Mistake::new(unknown(name, &known)))
    }

    fn fetch(
        &mut self,
        statement: &StatementOptions,
        scope: &mut Scope,
    ) -> Result<Option<Fetch>, Mistake> {
        if statement.into.is_empty() {
            return match statement.no_row {
                None => Ok(None),
                Some(_) => Err(Mistake::new(
                    "says what happens without a row, but no row is kept; add into, or remove it",
                )
                .within("no_row")),
            };
        }
        let mut slots = Vec::new();
        for (index, name) in statement.into.iter().enumerate() {
            let within = |mistake: Mistake| mistake.within(index).within("into");
            check_name(name).map_err(within)?;
            if scope.own.contains_key(name) || self.shared.contains_key(name) {
                let message = format!("{name:?} is a variable that is drawn; use another name");
                return Err(within(Mistake::new(message)));
            }
            let script = &mut self.script;
            let new = || script.variable(name, None);
            slots.push(*scope.fetched.entry(name.clone()).or_insert_with(new));
        }
        let no_row = statement.no_row.unwrap_or_default();
        Ok(Some(self.script.fetch(slots, FetchedRows::First(no_row))))
    }

    fn refuse_unused(&self, names: &[String]) -> Result<(), Mistake> {
        let is_unused = |name: &&String| !self.used.contains(&self.shared[*name]);
        match names.iter().find(is_unused) {
            Some(name) => Err(unused(name).within(name.as_str()).within("variables")),
            None => Ok(()),
        }
    }
}

impl Scope {
    /// Follows the transaction from statement to statement.
    fn follow(&mut self, control: Control) -> Result<(), Mistake> {
        let message = match (control, self.is_open) {
            (Control::None, _) => return Ok(()),
            (Control::Begin | Control::BeginWithOptions, true) => {
                "begins a transaction inside another one; COMMIT or ROLLBACK that first"
            }
            (Control::Commit | Control::Rollback, false) => {
                "ends a transaction that was not begun; put BEGIN before its statements"
            }
            (_, is_open) => {
                self.is_open = !is_open;
                return Ok(());
            }
        };
        Err(Mistake::new(message))
    }
}

fn check_transaction(name: &str, options: &TransactionOptions) -> Result<(), Mistake> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.is_empty() || !name.bytes().all(is_name) || name == RESERVED_NAME {
        return Err(Mistake::new(format!(
            "{name:?} is not a transaction's name; use letters, digits, '.', '_' and '-' (but not \
             {RESERVED_NAME:?}, which stands for all of them)"
        )));
    }
    if !(1..=LARGEST_WEIGHT).contains(&options.weight) {
        return Err(Mistake::new(format!(
            "is {}; give a whole number from 1 on, or remove the transaction",
            options.weight
        ))
        .within("weight"));
    }
    if options.statements.is_empty() {
        return Err(Mistake::new("is empty; give at least one").within("statements"));
    }
    Ok(())
}

fn unused(name: &str) -> Mistake {
    Mistake::new(format!("is used by no statement; write :{name} in one, or remove it"))
}

fn unknown(name: &str, known: &BTreeSet<&str>) -> String {
    let advice = if known.is_empty() {
        format!("add variables: {{{name}: [1, 1000]}}")
    } else {
        format!("known: {}", known.iter().copied().collect::<Vec<_>>().join(", "))
    };
    format!("uses the unknown variable :{name}; {advice}")
}
