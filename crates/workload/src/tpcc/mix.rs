//! Which kind of transaction comes next.

use random::Stream;

use super::options::TpccOptions;

/// The kinds of transactions, in the order of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
}

impl Kind {
    pub const ALL: [Self; 5] =
        [Self::NewOrder, Self::Payment, Self::OrderStatus, Self::Delivery, Self::StockLevel];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewOrder => "new_order",
            Self::Payment => "payment",
            Self::OrderStatus => "order_status",
            Self::Delivery => "delivery",
            Self::StockLevel => "stock_level",
        }
    }
}

/// The cards of the deck: clause 5.2.4.2.
const DECK: [(Kind, usize); 5] = [
    (Kind::NewOrder, 10),
    (Kind::Payment, 10),
    (Kind::OrderStatus, 1),
    (Kind::Delivery, 1),
    (Kind::StockLevel, 1),
];

/// Chooses kinds.
#[derive(Clone, Debug)]
pub(super) enum Mix {
    /// Each by itself: the sums of the weights up to each kind.
    Weights([f64; 5]),
    /// By the cards of a deck, which is shuffled when it has been dealt out.
    Deck { cards: Vec<Kind>, dealt: usize },
}

impl Mix {
    pub fn new(options: &TpccOptions) -> Self {
        if options.deck {
            let cards: Vec<Kind> = DECK
                .into_iter()
                .flat_map(|(kind, cards)| std::iter::repeat_n(kind, cards))
                .collect();
            return Self::Deck { dealt: cards.len(), cards };
        }
        let mut sum = 0.0;
        Self::Weights(options.mix.all().map(|weight| {
            sum += weight;
            sum
        }))
    }

    pub fn draw(&mut self, stream: &mut Stream) -> Kind {
        match self {
            Self::Weights(sums) => {
                let point = stream.unit() * sums[4];
                let place = sums.iter().position(|sum| point < *sum);
                Kind::ALL[place.unwrap_or(0)]
            }
            Self::Deck { cards, dealt } => {
                if *dealt == cards.len() {
                    shuffle(cards, stream);
                    *dealt = 0;
                }
                *dealt += 1;
                cards[*dealt - 1]
            }
        }
    }
}

/// Fisher and Yates' shuffle.
pub(super) fn shuffle<T>(cards: &mut [T], stream: &mut Stream) {
    for last in (1..cards.len()).rev() {
        let other = stream.below(last as u64 + 1);
        cards.swap(last, usize::try_from(other).unwrap_or(last));
    }
}

#[cfg(test)]
mod tests {
    use random::Purpose;

    use super::super::testing::options;
    use super::*;

    fn counts(mix: &mut Mix, draws: usize) -> [usize; 5] {
        let mut stream = Stream::new(3, Purpose::Inputs, 0);
        let mut counts = [0; 5];
        for _ in 0..draws {
            counts[mix.draw(&mut stream) as usize] += 1;
        }
        counts
    }

    #[test]
    fn weights_are_shares() {
        let counts = counts(&mut Mix::new(&options(1)), 100_000);
        for (count, expected) in counts.into_iter().zip([45_000, 43_000, 4_000, 4_000, 4_000]) {
            // Four standard deviations of the largest share.
            assert!(count.abs_diff(expected) < 630, "{counts:?}");
        }
    }

    #[test]
    fn each_deck_is_dealt_to_its_end() {
        let mut options = options(1);
        options.deck = true;
        let mut mix = Mix::new(&options);
        assert_eq!(counts(&mut mix.clone(), 23), [10, 10, 1, 1, 1]);
        assert_eq!(counts(&mut mix, 23 * 7), [70, 70, 7, 7, 7]);
    }

    #[test]
    fn a_weight_of_nothing_is_never_drawn() {
        let mut options = options(1);
        options.mix.new_order = 0.0;
        options.mix.stock_level = 0.0;
        let counts = counts(&mut Mix::new(&options), 10_000);
        assert_eq!((counts[0], counts[4]), (0, 0));
    }
}
