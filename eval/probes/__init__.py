"""Probes: the prompts an attacker sends."""
