//! Random variables: what a file says of them, checked.

use random::{Distribution, DistributionKind, Skew};
use serde::Deserialize;

use super::mistake::Mistake;

/// The longest text that is drawn.
const LONGEST_TEXT: u32 = 1 << 20;

/// More digits than these don't fit beside eight before the point.
const MOST_DECIMALS: u32 = 9;

/// The largest bound of decimals: everything is exact in 64 bits.
const LARGEST_DECIMAL: f64 = 1e9;

/// Far beyond the exponents that anything is like.
const MOST_SKEWED: f64 = 10.0;

const ALPHANUMERIC: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// A value that is written as it is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Constant {
    /// SQL NULL.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Double(f64),
    /// Text.
    Text(String),
}

/// A variable as it is written: exactly one of the kinds, with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableOptions {
    /// Whole numbers from the first to the second.
    pub int: Option<[i64; 2]>,
    /// Numbers with decimals from the first to the second.
    pub decimal: Option<[f64; 2]>,
    /// How many decimals; two where nothing is said.
    pub decimals: Option<u32>,
    /// Texts of a length from the first to the second.
    pub text: Option<[u32; 2]>,
    /// The characters of texts.
    pub alphabet: Option<String>,
    /// Whole numbers from here on, each given once, whichever client asks.
    pub sequence: Option<i64>,
    /// One of these.
    pub choice: Option<Vec<Constant>>,
    /// Always this.
    pub value: Option<Constant>,
    /// How numbers are spread over their range.
    pub distribution: Option<DistributionKind>,
    /// The exponent of `zipfian`.
    pub zipfian_exponent: Option<f64>,
    /// The parameter h of `pareto`.
    pub pareto_h: Option<f64>,
    /// The hot share of the range of `special`, in percent.
    pub special_percent: Option<f64>,
    /// The share of draws that goes there, in percent.
    pub special_residual: Option<f64>,
    /// Whether hot numbers are scattered over the range.
    pub scrambled: Option<bool>,
}

/// A variable that can be drawn.
#[derive(Clone, Debug)]
pub(crate) enum Variable {
    /// An integer: so much above what the distribution gives.
    Int { low: i64, distribution: Distribution },
    /// The same, with a point before the last digits.
    Decimal { low: i64, distribution: Distribution, decimals: u32 },
    /// A text.
    Text { shortest: u32, longest: u32, alphabet: Vec<char> },
    /// The next number.
    Sequence { first: i64 },
    /// The same for so many rows, then the next.
    Group { first: i64, rows_each: u64 },
    /// One of them.
    Choice(Vec<Constant>),
}

impl VariableOptions {
    /// The variable, or what is wrong with it.
    pub(crate) fn build(&self) -> Result<Variable, Mistake> {
        let kinds = [
            self.int.is_some(),
            self.decimal.is_some(),
            self.text.is_some(),
            self.sequence.is_some(),
            self.choice.is_some(),
            self.value.is_some(),
        ];
        if kinds.into_iter().filter(|is_given| *is_given).count() != 1 {
            return Err(Mistake::new(
                "must be exactly one of int, decimal, text, sequence and choice, as in \
                 {int: [1, 1000]}",
            ));
        }
        self.refuse_strangers()?;
        self.check_skew()?;
        if let Some([low, high]) = self.int {
            let distribution = self.distribution(low, high).map_err(|m| m.within("int"))?;
            return Ok(Variable::Int { low, distribution });
        }
        if let Some(bounds) = self.decimal {
            return self.build_decimal(bounds).map_err(|mistake| mistake.within("decimal"));
        }
        if let Some(lengths) = self.text {
            return self.build_text(lengths);
        }
        if let Some(first) = self.sequence {
            return Ok(Variable::Sequence { first });
        }
        let choice = self.choice.clone().or_else(|| self.value.clone().map(|value| vec![value]));
        match choice {
            Some(choice) if !choice.is_empty() => Ok(Variable::Choice(choice)),
            _ => Err(Mistake::new("is empty; give at least one value").within("choice")),
        }
    }

    /// Finds what belongs to another kind of variable, or to another distribution.
    fn refuse_strangers(&self) -> Result<(), Mistake> {
        let is_number = self.int.is_some() || self.decimal.is_some();
        let kind = self.distribution.unwrap_or_default();
        let needs = |wanted: DistributionKind| is_number && kind == wanted;
        for (field, is_given, fits, owner) in [
            ("decimals", self.decimals.is_some(), self.decimal.is_some(), "decimal"),
            ("alphabet", self.alphabet.is_some(), self.text.is_some(), "text"),
            ("distribution", self.distribution.is_some(), is_number, "int and decimal"),
            ("scrambled", self.scrambled.is_some(), is_number, "int and decimal"),
            (
                "zipfian_exponent",
                self.zipfian_exponent.is_some(),
                needs(DistributionKind::Zipfian),
                "distribution: zipfian",
            ),
            (
                "pareto_h",
                self.pareto_h.is_some(),
                needs(DistributionKind::Pareto),
                "distribution: pareto",
            ),
            (
                "special_percent",
                self.special_percent.is_some(),
                needs(DistributionKind::Special),
                "distribution: special",
            ),
            (
                "special_residual",
                self.special_residual.is_some(),
                needs(DistributionKind::Special),
                "distribution: special",
            ),
        ] {
            if is_given && !fits {
                return Err(Mistake::new(format!("belongs to {owner}; remove it")).within(field));
            }
        }
        Ok(())
    }

    fn skew(&self) -> Skew {
        let default = Skew::default();
        Skew {
            zipfian_exponent: self.zipfian_exponent.unwrap_or(default.zipfian_exponent),
            pareto_h: self.pareto_h.unwrap_or(default.pareto_h),
            special_percent: self.special_percent.unwrap_or(default.special_percent),
            special_residual: self.special_residual.unwrap_or(default.special_residual),
            scrambled: self.scrambled.unwrap_or(default.scrambled),
        }
    }

    fn check_skew(&self) -> Result<(), Mistake> {
        let skew = self.skew();
        for (field, is_right, expected) in [
            (
                "zipfian_exponent",
                (0.0..=MOST_SKEWED).contains(&skew.zipfian_exponent),
                "must be a number from 0 to 10",
            ),
            (
                "pareto_h",
                skew.pareto_h > 0.0 && skew.pareto_h < 1.0,
                "must be a number between 0 and 1",
            ),
            (
                "special_percent",
                skew.special_percent > 0.0 && skew.special_percent <= 100.0,
                "must be a number above 0 and up to 100",
            ),
            (
                "special_residual",
                (0.0..=100.0).contains(&skew.special_residual),
                "must be a number from 0 to 100",
            ),
        ] {
            if !is_right {
                return Err(Mistake::new(expected).within(field));
            }
        }
        Ok(())
    }

    /// The distribution of what is added to the lowest number.
    fn distribution(&self, low: i64, high: i64) -> Result<Distribution, Mistake> {
        if low > high {
            return Err(Mistake::new(format!(
                "is [{low}, {high}], an empty range; give the smaller number first"
            )));
        }
        let span = high.wrapping_sub(low).cast_unsigned();
        if span >= 1 << 62 {
            return Err(Mistake::new("is too wide a range; keep it below 2^62 numbers"));
        }
        Ok(Distribution::new(self.distribution.unwrap_or_default(), &self.skew(), 0, span))
    }

    #[allow(clippy::cast_possible_truncation)] // The bounds were checked.
    fn build_decimal(&self, [low, high]: [f64; 2]) -> Result<Variable, Mistake> {
        let decimals = self.decimals.unwrap_or(2);
        let are_right = [low, high].iter().all(|bound| bound.abs() <= LARGEST_DECIMAL);
        if decimals > MOST_DECIMALS || !are_right {
            return Err(Mistake::new(
                "must be two numbers up to a thousand million, with at most 9 decimals",
            ));
        }
        let scale = 10_f64.powi(decimals.cast_signed());
        let (low, high) = ((low * scale).round() as i64, (high * scale).round() as i64);
        Ok(Variable::Decimal { low, distribution: self.distribution(low, high)?, decimals })
    }

    fn build_text(&self, [shortest, longest]: [u32; 2]) -> Result<Variable, Mistake> {
        if shortest > longest || longest > LONGEST_TEXT {
            return Err(Mistake::new(format!(
                "must be a length, or the shortest and the longest, up to {LONGEST_TEXT}"
            ))
            .within("text"));
        }
        let alphabet: Vec<char> =
            self.alphabet.as_deref().unwrap_or(ALPHANUMERIC).chars().collect();
        if alphabet.is_empty() {
            return Err(
                Mistake::new("is empty; give the characters of the texts").within("alphabet")
            );
        }
        Ok(Variable::Text { shortest, longest, alphabet })
    }
}
