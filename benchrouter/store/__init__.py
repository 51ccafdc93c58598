"""What is on disk: workspace, artifacts, states, locks, journals, run records."""
