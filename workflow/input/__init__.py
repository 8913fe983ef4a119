"""Reading what people write: YAML, CSV and exact numbers, and every mistake in one line."""
