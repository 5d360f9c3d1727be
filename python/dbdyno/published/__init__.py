"""Tables that somebody else has published, as an experiment names them and a result keeps them."""
