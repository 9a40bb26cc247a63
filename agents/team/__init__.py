"""Stage 2 as an autogen-agentchat team."""
