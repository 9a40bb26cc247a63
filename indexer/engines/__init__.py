"""Engines recognise and embed for a run: in this process, in others, or on Ray."""
