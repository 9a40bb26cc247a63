"""Fakes of agents and chat models; `agents.testing.server` is a fake behind HTTP."""

from sage_rag.agents.testing.fakes import ReversingAgent, ScriptedChatModel, reversing_roles

__all__ = ["ReversingAgent", "ScriptedChatModel", "reversing_roles"]
