// MCP servers and their tools.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import type { Query } from "./schema.js";

export class Mcp extends Noun {
  /** How each server is. Starts nothing. */
  servers(query?: Query<"mcp/servers">, options?: CallOptions) {
    return this.look<"mcp/servers">("/v1/apps/mcp/servers", query, options);
  }

  /** What they offer; `connect` starts what is away. */
  tools(query?: Query<"mcp/tools">, options?: CallOptions) {
    return this.look<"mcp/tools">("/v1/apps/mcp/tools", query, options);
  }
}
