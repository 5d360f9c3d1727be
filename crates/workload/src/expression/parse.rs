//! Reads expressions: operators by their precedence, as pgbench's manual has them.

use super::Expression;
use super::function::{Function, MOST_ARGUMENTS};
use super::scalar::Scalar;
use super::token::{Token, tokens};

/// How tightly an operator binds.
type Level = u8;

const OR: Level = 1;
const AND: Level = 2;
const NOT: Level = 3;
const IS: Level = 4;
const COMPARISON: Level = 5;
const BITWISE: Level = 6;
const SUM: Level = 7;
const PRODUCT: Level = 8;
const SIGN: Level = 9;

/// Deeper nesting is a slip, and would overflow the stack.
const DEEPEST: usize = 200;

/// Reads an expression; `find` gives the number of a variable.
pub(super) fn parse(
    text: &str,
    find: &mut dyn FnMut(&str) -> Result<usize, String>,
) -> Result<Expression, String> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err("an expression is missing".to_owned());
    }
    let mut parser = Parser { tokens, position: 0, depth: 0, find };
    let expression = parser.expression(OR)?;
    match parser.next() {
        None => Ok(expression),
        Some(token) => Err(unexpected(&token)),
    }
}

struct Parser<'a> {
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
    find: &'a mut dyn FnMut(&str) -> Result<usize, String>,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.position).cloned();
        self.position += 1;
        token
    }

    fn takes(&mut self, wanted: &Token) -> bool {
        let is_there = self.tokens.get(self.position) == Some(wanted);
        self.position += usize::from(is_there);
        is_there
    }

    fn takes_word(&mut self, word: &str) -> bool {
        self.takes(&Token::Word(word.to_owned()))
    }

    fn expect(&mut self, wanted: &Token) -> Result<(), String> {
        if self.takes(wanted) {
            return Ok(());
        }
        let there = self.next().map_or_else(|| "the end".to_owned(), |token| written(&token));
        Err(format!("{} is missing before {there}", written(wanted)))
    }

    /// What binds at least as tightly as `level`.
    fn expression(&mut self, level: Level) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply".to_owned());
        }
        let mut left = self.operand()?;
        while let Some((operator, its_level)) = self.operator() {
            if its_level < level {
                break;
            }
            self.position += 1;
            left = self.behind(left, &operator, its_level)?;
            let next = self.operator().map(|(_, next_level)| next_level);
            if its_level == COMPARISON && next == Some(COMPARISON) {
                return Err("comparisons can't follow each other; use AND".to_owned());
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The operator at the present place, and how tightly it binds.
    fn operator(&self) -> Option<(String, Level)> {
        let (text, level) = match self.tokens.get(self.position)? {
            Token::Word(word) => match word.as_str() {
                "or" => ("or", OR),
                "and" => ("and", AND),
                "is" | "isnull" | "notnull" => (word.as_str(), IS),
                _ => return None,
            },
            Token::Symbol(symbol) => match *symbol {
                "=" | "<>" | "!=" | "<" | ">" | "<=" | ">=" => (*symbol, COMPARISON),
                "|" | "&" | "#" | "<<" | ">>" => (*symbol, BITWISE),
                "+" | "-" => (*symbol, SUM),
                "*" | "/" | "%" => (*symbol, PRODUCT),
                _ => return None,
            },
            _ => return None,
        };
        Some((text.to_owned(), level))
    }

    /// The expression that an operator makes of what comes before it and what follows.
    fn behind(
        &mut self,
        left: Expression,
        operator: &str,
        level: Level,
    ) -> Result<Expression, String> {
        match operator {
            "isnull" => return Ok(is(left, Scalar::Null)),
            "notnull" => return Ok(call(Function::Not, [is(left, Scalar::Null)])),
            "is" => return self.behind_is(left),
            _ => {}
        }
        let right = self.expression(level + 1)?;
        let function = match operator {
            "or" => return Ok(Expression::Or(Box::new([left, right]))),
            "and" => return Ok(Expression::And(Box::new([left, right]))),
            ">" => return Ok(call(Function::Less, [right, left])),
            ">=" => return Ok(call(Function::LessOrEqual, [right, left])),
            "=" => Function::Equal,
            "<>" | "!=" => Function::Unequal,
            "<" => Function::Less,
            "<=" => Function::LessOrEqual,
            "|" => Function::BitOr,
            "&" => Function::BitAnd,
            "#" => Function::BitXor,
            "<<" => Function::ShiftLeft,
            ">>" => Function::ShiftRight,
            "+" => Function::Add,
            "-" => Function::Subtract,
            "*" => Function::Multiply,
            "/" => Function::Divide,
            _ => Function::Modulo,
        };
        Ok(call(function, [left, right]))
    }

    fn behind_is(&mut self, left: Expression) -> Result<Expression, String> {
        let is_not = self.takes_word("not");
        let wanted = match self.next() {
            Some(Token::Word(word)) if constant(&word).is_some() => constant(&word),
            _ => None,
        };
        let wanted = wanted.ok_or("IS needs NULL, TRUE or FALSE behind it")?;
        let result = is(left, wanted);
        Ok(if is_not { call(Function::Not, [result]) } else { result })
    }

    fn operand(&mut self) -> Result<Expression, String> {
        let token = self.next().ok_or("it ends where a value is missing")?;
        match token {
            Token::Int(value) => Ok(Expression::Constant(Scalar::Int(value))),
            Token::Double(value) => Ok(Expression::Constant(Scalar::Double(value))),
            Token::Variable(name) => Ok(Expression::Variable((self.find)(&name)?)),
            Token::Symbol("(") => {
                let inner = self.expression(OR)?;
                self.expect(&Token::Symbol(")"))?;
                Ok(inner)
            }
            Token::Symbol("+") => self.expression(SIGN),
            Token::Symbol("-") => {
                if self.takes(&Token::SmallestInt) {
                    return Ok(Expression::Constant(Scalar::Int(i64::MIN)));
                }
                let zero = Expression::Constant(Scalar::Int(0));
                Ok(call(Function::Subtract, [zero, self.expression(SIGN)?]))
            }
            Token::Symbol("~") => {
                let ones = Expression::Constant(Scalar::Int(-1));
                Ok(call(Function::BitXor, [self.expression(SUM)?, ones]))
            }
            Token::Word(word) => self.word(&word),
            Token::SmallestInt => Err("bigint constant overflow".to_owned()),
            Token::Symbol(_) => Err(unexpected(&token)),
        }
    }

    fn word(&mut self, word: &str) -> Result<Expression, String> {
        if let Some(constant) = constant(word) {
            return Ok(Expression::Constant(constant));
        }
        match word {
            "not" => Ok(call(Function::Not, [self.expression(NOT)?])),
            "case" => self.case(),
            _ if self.takes(&Token::Symbol("(")) => self.function(word),
            _ => Err(unexpected(&Token::Word(word.to_owned()))),
        }
    }

    fn case(&mut self) -> Result<Expression, String> {
        let mut branches = Vec::new();
        while self.takes_word("when") {
            let condition = self.expression(OR)?;
            self.expect(&Token::Word("then".to_owned()))?;
            branches.push((condition, self.expression(OR)?));
        }
        if branches.is_empty() {
            return Err("CASE needs WHEN behind it".to_owned());
        }
        let otherwise = if self.takes_word("else") {
            self.expression(OR)?
        } else {
            Expression::Constant(Scalar::Null)
        };
        self.expect(&Token::Word("end".to_owned()))?;
        Ok(Expression::Case(branches, Box::new(otherwise)))
    }

    fn function(&mut self, name: &str) -> Result<Expression, String> {
        let mut arguments = Vec::new();
        if !self.takes(&Token::Symbol(")")) {
            arguments.push(self.expression(OR)?);
            while self.takes(&Token::Symbol(",")) {
                arguments.push(self.expression(OR)?);
            }
            self.expect(&Token::Symbol(")"))?;
        }
        if arguments.len() > MOST_ARGUMENTS {
            return Err(format!("{name} has too many arguments; {MOST_ARGUMENTS} is the most"));
        }
        let function = Function::find(name, arguments.len())?;
        if function.default_seed_position() == Some(arguments.len()) {
            arguments.push(Expression::Variable((self.find)("default_seed")?));
        }
        Ok(Expression::Call(function, arguments))
    }
}

fn call<const COUNT: usize>(function: Function, arguments: [Expression; COUNT]) -> Expression {
    Expression::Call(function, arguments.into())
}

fn is(left: Expression, wanted: Scalar) -> Expression {
    call(Function::Is, [left, Expression::Constant(wanted)])
}

fn constant(word: &str) -> Option<Scalar> {
    match word {
        "null" => Some(Scalar::Null),
        "true" => Some(Scalar::Bool(true)),
        "false" => Some(Scalar::Bool(false)),
        _ => None,
    }
}

fn unexpected(token: &Token) -> String {
    format!("{} is not expected there", written(token))
}

fn written(token: &Token) -> String {
    match token {
        Token::Int(value) => value.to_string(),
        Token::SmallestInt => "9223372036854775808".to_owned(),
        Token::Double(value) => value.to_string(),
        Token::Variable(name) => format!(":{name}"),
        Token::Word(word) => format!("{word:?}"),
        Token::Symbol(symbol) => format!("{symbol:?}"),
    }
}
