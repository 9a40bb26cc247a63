"""A runtime of autogen that hands messages over at once, and keeps no account of them.

autogen's own runtime puts every message into a queue, writes it out as JSON for its loggers and
opens spans around each delivery, though nobody reads either: about half of what a talk costs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from autogen_core import (
    AgentId,
    CancellationToken,
    MessageContext,
    MessageHandlerContext,
    MessageSerializer,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    Subscription,
    TopicId,
)
from opentelemetry.trace import NoOpTracerProvider


class DirectRuntime(SingleThreadedAgentRuntime):
    """Deliver within the running loop, in the order in which messages are sent.

    For one talk; it is neither started nor stopped. Agents run in the context of who called
    first, so that what is kept by record is kept for the record that is talked about.

    Guarantees: nothing of a message is logged, traced or written out.
    """

    def __init__(self) -> None:
        super().__init__(tracer_provider=NoOpTracerProvider())
        self._subscriptions: list[Subscription] = []
        self._agents: dict[AgentId, RoutedAgent] = {}
        self._deliveries: set[asyncio.Task[Any]] = set()

    async def send_message(
        self,
        message: Any,
        recipient: AgentId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> Any:
        """Return the recipient's answer; what it raises is raised here."""
        token = cancellation_token or CancellationToken()
        context = MessageContext(sender, None, True, token, message_id or "")
        return await self._deliver(message, recipient, context)

    async def publish_message(
        self,
        message: Any,
        topic_id: TopicId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> None:
        """Hand the message to all that subscribed to the topic, apart from who sent it."""
        token = cancellation_token or CancellationToken()
        context = MessageContext(sender, topic_id, False, token, message_id or "")
        for subscription in self._subscriptions:
            if subscription.is_match(topic_id):
                recipient = subscription.map_to_agent(topic_id)
                if recipient != sender:
                    delivery = asyncio.create_task(self._deliver(message, recipient, context))
                    self._deliveries.add(delivery)
                    delivery.add_done_callback(self._delivered)

    async def add_subscription(self, subscription: Subscription) -> None:
        """Remember who wants to hear what."""
        self._subscriptions.append(subscription)

    def add_message_serializer(
        self, serializer: MessageSerializer[Any] | Sequence[MessageSerializer[Any]]
    ) -> None:
        """Do nothing: no message is written out."""

    async def settle(self) -> None:
        """Wait until nobody has anything more to hear; cancelled, cancel what is under way."""
        while self._deliveries:
            await asyncio.gather(*self._deliveries, return_exceptions=True)

    async def _deliver(self, message: Any, recipient: AgentId, context: MessageContext) -> Any:
        agent = self._agents.get(recipient)
        if agent is None:
            agent = await self.try_get_underlying_agent_instance(recipient, RoutedAgent)
            self._agents[recipient] = agent
        with MessageHandlerContext.populate_context(agent.id):
            return await agent.on_message(message, context)

    def _delivered(self, delivery: asyncio.Task[Any]) -> None:
        """Forget a delivery; autogen's chat has told of its failure, and asyncio must not."""
        self._deliveries.discard(delivery)
        if not delivery.cancelled():
            delivery.exception()
