"""Operators: each replaces a value in a text. One file for each, and shared parts."""
