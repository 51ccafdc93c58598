"""Results as files for other tools."""
