"""Fakes for the agents' seams; `agents.testing.server` is one behind HTTP."""

from sage_rag.agents.testing.fakes import ReversingAgent, ScriptedChatModel, reversing_roles

__all__ = ["ReversingAgent", "ScriptedChatModel", "reversing_roles"]
