"""Models side by side: what to compare, whether it can be compared, and what differs for certain."""
