"""The parts of a chat request that concern tools."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class ToolFunction(BaseModel):
    """A function that the model may call; `parameters` is a JSON Schema."""

    name: str = Field(min_length=1)
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(BaseModel):
    """A tool; functions are the only kind."""

    type: Literal["function"]
    function: ToolFunction


class ChosenFunction(BaseModel):
    """The name of a function."""

    name: str = Field(min_length=1)


class ToolChoice(BaseModel):
    """The function that the model must call."""

    type: Literal["function"]
    function: ChosenFunction


class CalledFunction(BaseModel):
    """A function that the model has called; `arguments` is JSON, as the model wrote it."""

    name: str
    arguments: str = ""


class ToolCallMessage(BaseModel):
    """A call in an earlier message of the assistant."""

    id: str
    type: Literal["function"] = "function"
    function: CalledFunction
