"""Runs: one module for each thing that can be done with a run."""
