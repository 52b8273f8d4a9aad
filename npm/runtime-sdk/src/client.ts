// The client: a server, by its nouns.

import { AgentRuns } from "./agent-runs.js";
import { Approvals } from "./approvals.js";
import { Automations } from "./automations.js";
import { Config } from "./config.js";
import { Fleet } from "./fleet.js";
import { Attachments } from "./attachments.js";
import { Goals } from "./goals.js";
import { Mcp } from "./mcp.js";
import { Memory } from "./memory.js";
import { oneShot, type StreamEvent } from "./one-shot.js";
import { readOptions, type CallOptions, type OnceOptions, type RuntimeClientOptions } from "./options.js";
import { Providers } from "./providers.js";
import type { Method } from "./request.js";
import { TurnRun, type RunTurnOptions } from "./run-turn.js";
import type { Health, RuntimeInfo } from "./runtime-info.js";
import type { Body, Query, UsageReport } from "./schema.js";
import { Sessions } from "./sessions.js";
import { Snapshots } from "./snapshots.js";
import { Tasks } from "./tasks.js";
import { Threads } from "./threads.js";
import { Transport } from "./transport.js";
import { Tools } from "./tools.js";
import { Turns } from "./turns.js";
import { UserInput } from "./user-input.js";
import { Workspace } from "./workspace.js";

/** A client of the server at `baseUrl`. It connects when it is asked something. */
export function createRuntimeClient(options: RuntimeClientOptions = {}): RuntimeClient {
  return new RuntimeClient(options);
}

/** What goes along with a request of one's own. */
export interface RawRequest {
  readonly query?: object;
  readonly body?: unknown;
}

export class RuntimeClient extends Fleet {
  readonly threads: Threads;
  readonly tools: Tools;
  readonly turns: Turns;
  readonly attachments: Attachments;
  readonly approvals: Approvals;
  readonly userInput: UserInput;
  readonly goals: Goals;
  readonly agentRuns: AgentRuns;
  readonly tasks: Tasks;
  readonly automations: Automations;
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly workspace: Workspace;
  readonly mcp: Mcp;
  readonly memory: Memory;
  readonly providers: Providers;
  readonly config: Config;

  constructor(options: RuntimeClientOptions = {}) {
    const transport = new Transport(readOptions(options));
    super(transport);
    this.threads = new Threads(transport);
    this.tools = new Tools(transport);
    this.turns = new Turns(transport);
    this.attachments = new Attachments(transport);
    this.approvals = new Approvals(transport);
    this.userInput = new UserInput(transport);
    this.goals = new Goals(transport);
    this.agentRuns = new AgentRuns(transport);
    this.tasks = new Tasks(transport);
    this.automations = new Automations(transport);
    this.sessions = new Sessions(transport);
    this.snapshots = new Snapshots(transport);
    this.workspace = new Workspace(transport);
    this.mcp = new Mcp(transport);
    this.memory = new Memory(transport);
    this.providers = new Providers(transport);
    this.config = new Config(transport);
  }

  /** Whether it lives; needs no token. */
  health(options?: CallOptions): Promise<Health> {
    return this.#look("/health", undefined, options) as Promise<Health>;
  }

  /** What it is and can do; needs no token. */
  info(options?: CallOptions): Promise<RuntimeInfo> {
    return this.#look("/v1/runtime/info", undefined, options) as Promise<RuntimeInfo>;
  }

  /** Its own description of all operations. */
  openapi(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#look("/v1/openapi.json", undefined, options) as Promise<Record<string, unknown>>;
  }

  /** What turns used and what that cost. */
  usage(query?: Query<"usage/report">, options?: CallOptions): Promise<UsageReport> {
    return this.#look("/v1/usage", query, options) as Promise<UsageReport>;
  }

  /** Starts a turn and follows it to its end, across breaks of the connection and restarts of the
   * server. Loop over what it returns for the events, or await `finished()`, or both. */
  runTurn(threadId: string, turn: string | Body<"turns/start">, options: RunTurnOptions = {}): TurnRun {
    return new TurnRun(this, threadId, typeof turn === "string" ? { prompt: turn } : turn, options);
  }

  /** One prompt on a thread of its own, as a stream that ends with it. */
  stream(
    body: Body<"stream">,
    options: { readonly signal?: AbortSignal | undefined; readonly silenceMs?: number } = {},
  ): AsyncGenerator<StreamEvent, void, undefined> {
    return oneShot(this.transport, body, options);
  }

  /** An operation that has no method here. A GET is sent again when it gets no answer; anything else
   * only when it has a key, which the operation must understand. */
  request(method: Method, path: string, request: RawRequest = {}, options: OnceOptions = {}): Promise<unknown> {
    // Anything else could turn the server's name into a part of another address.
    if (!path.startsWith("/")) throw new TypeError("a path begins with a slash");
    const keyed = options.idempotencyKey === undefined ? "never" : "keyed";
    return this.transport.call({ method, path, ...request, repeat: method === "GET" ? "freely" : keyed }, options);
  }

  #look(path: string, query: object | undefined, options: CallOptions | undefined): Promise<unknown> {
    return this.transport.call({ method: "GET", path, query, repeat: "freely" }, options);
  }
}
