"""Commands of `doit`: ours, and those of doit that a run of evaluations needs differently."""
