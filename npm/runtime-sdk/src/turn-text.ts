// What the agent said in a turn, message by message.

import type { ThreadEvent } from "./thread-event.js";

export class TurnText {
  readonly #messages = new Map<string, string>();

  take(event: ThreadEvent): void {
    switch (event.event) {
      case "item.delta":
        if (event.payload.kind === "agent_message" && event.item_id !== null) {
          this.#messages.set(event.item_id, (this.#messages.get(event.item_id) ?? "") + event.payload.delta);
        }
        break;
      case "item.completed":
      case "item.interrupted":
      case "item.failed": {
        // The record is what counts: a server may have merged or dropped deltas.
        const { item } = event.payload;
        if (item.kind === "agent_message" && item.detail != null) this.#messages.set(item.id, item.detail);
        break;
      }
    }
  }

  /** The message of this item, else the last one. */
  last(itemId: string | undefined): string {
    const named = itemId === undefined ? undefined : this.#messages.get(itemId);
    return named ?? [...this.#messages.values()].at(-1) ?? "";
  }
}
