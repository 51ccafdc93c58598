"""Thin faces over the same graph."""
