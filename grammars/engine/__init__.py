"""The engine of all grammars: tokens, productions, parsing, lexicons, tables, dates; nothing of shopping."""
