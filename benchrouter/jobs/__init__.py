"""One job: contract, render, run, collect, standardise."""
