"""What a report says in words: made of the codes and figures that analysis yields."""
