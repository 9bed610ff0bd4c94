"""What providers of models answer, odd and broken answers above all, as bytes, and what the product makes of them."""
