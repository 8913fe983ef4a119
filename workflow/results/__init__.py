"""Result files and tables: one writer, whole or absent, self-describing."""
