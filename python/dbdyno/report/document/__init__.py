"""A report as a document that says nothing of its format: sections, blocks, tables, figures."""
