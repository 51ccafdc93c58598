"""`results/report.html`: one page without network, from what is on disk."""
