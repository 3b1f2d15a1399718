"""The lab: learn staging by predicting, running, repairing and keeping evidence; the checker is the ledger."""
