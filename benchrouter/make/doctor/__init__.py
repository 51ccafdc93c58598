"""What this machine has and lacks for runs, each with what follows and how to mend it."""
