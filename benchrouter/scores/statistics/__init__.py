"""What scores are worth: intervals, tests, repeats; pure functions, seeded where they draw lots."""
