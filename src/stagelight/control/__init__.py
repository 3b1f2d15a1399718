"""Keep it fixed: guards, budgets, the lock file, ahead-of-time warm-up."""
