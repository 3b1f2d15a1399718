"""Records become one document model, and that becomes text, a page, Markdown, annotations, JSON or a trace file.

Never imports JAX: a ledger that was written on an accelerator host is read on a laptop without it.
"""
