//! Cuts expressions into tokens.

/// The smallest piece of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(i64),
    /// 2⁶³, which is an integer only behind a minus.
    SmallestInt,
    Double(f64),
    Variable(String),
    /// A keyword or the name of a function, in lower case.
    Word(String),
    Symbol(&'static str),
}

/// Longer ones first.
const SYMBOLS: [&str; 19] = [
    "<>", "!=", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%", "=", "<", ">", "|", "&", "#", "~",
    "(",
];
const MORE_SYMBOLS: [&str; 2] = [")", ","];

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, length) = first_token(rest)?;
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn first_token(rest: &str) -> Result<(Token, usize), String> {
    let first = rest.as_bytes()[0];
    if let Some(symbol) = SYMBOLS.iter().chain(&MORE_SYMBOLS).find(|s| rest.starts_with(**s)) {
        return Ok((Token::Symbol(symbol), symbol.len()));
    }
    if first == b':' {
        let length = name_length(&rest[1..]);
        if length == 0 {
            return Err("a variable's name is missing after :".to_owned());
        }
        return Ok((Token::Variable(rest[1..=length].to_owned()), 1 + length));
    }
    if first.is_ascii_digit() || first == b'.' {
        return number(rest);
    }
    match name_length(rest) {
        0 => Err(format!("unexpected character {:?}", rest.chars().next().unwrap_or(' '))),
        length => Ok((Token::Word(rest[..length].to_ascii_lowercase()), length)),
    }
}

fn name_length(text: &str) -> usize {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    text.bytes().take_while(|byte| is_of_name(byte)).count()
}

fn number(rest: &str) -> Result<(Token, usize), String> {
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    let mut length = whole;
    if rest[length..].starts_with('.') {
        length += 1 + digits(length + 1);
    }
    if length == 1 && whole == 0 {
        return Err("unexpected character '.'".to_owned());
    }
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let text = &rest[..length];
    let token = if length > whole {
        let value: f64 = text.parse().map_err(|_| format!("{text} is no number"))?;
        if value.is_infinite() {
            return Err("double constant overflow".to_owned());
        }
        Token::Double(value)
    } else if text == "9223372036854775808" {
        Token::SmallestInt
    } else {
        Token::Int(text.parse().map_err(|_| "bigint constant overflow".to_owned())?)
    };
    Ok((token, length))
}
