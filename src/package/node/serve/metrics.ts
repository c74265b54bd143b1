/**
 * `GET /metrics` of `midtoken serve --metrics`, in Prometheus's text format. No label contains a text, a key or a key's
 * name.
 */
// Imports single files, because the package's main entry needs parts of Node that `midtoken serve` does not use.
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import type { UpstreamCounts } from "../../../runtime/remote/upstream-meter.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import type { LoggedRequest } from "./request-log.ts";
import type { ServerLoad } from "./room.ts";

export interface MetricsSources {
  readonly engine: Pick<MidtokenEngine, "requests">;
  readonly load: () => ServerLoad;
  /** Null if models run in this process. */
  readonly upstream: () => UpstreamCounts | null;
}

/** Upper bounds of the histogram's buckets, in seconds. */
const requestBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<"route" | "status">;
  readonly #seconds: Histogram<"route">;
  readonly #tokens: Counter<"kind">;
  readonly #stop: () => void;

  constructor({ engine, load, upstream }: MetricsSources) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: "midtoken_requests_total",
      help: "Answered requests, by route and status; status 499 if the client disconnected.",
      labelNames: ["route", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "midtoken_request_seconds",
      help: "Seconds from the headers of a request to the end of its response.",
      labelNames: ["route"],
      buckets: requestBuckets,
      registers,
    });
    this.#tokens = new Counter({
      name: "midtoken_tokens_total",
      help: "Tokens of prompts and of completions.",
      labelNames: ["kind"],
      registers,
    });
    new Gauge({
      name: "midtoken_requests_in_progress",
      help: "Requests in progress or waiting, by state.",
      labelNames: ["state"],
      registers,
      collect() {
        const { requests, waiting } = load();
        this.set({ state: "running" }, requests - waiting);
        this.set({ state: "waiting" }, waiting);
      },
    });
    this.#stop = this.#countRecords(engine, registers);
    addUpstream(upstream, registers);
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  note({ route, status, ms, prompt_tokens: prompt, completion_tokens: completion }: LoggedRequest): void {
    const known = route ?? "other";
    this.#requests.inc({ route: known, status: String(status) });
    this.#seconds.observe({ route: known }, ms / 1_000);
    this.#tokens.inc({ kind: "prompt" }, prompt ?? 0);
    this.#tokens.inc({ kind: "completion" }, completion ?? 0);
  }

  stop(): void {
    this.#stop();
  }

  #countRecords({ requests }: MetricsSources["engine"], registers: Registry[]): () => void {
    const passes = new Counter({
      name: "midtoken_passes_total",
      help: "Forward passes of all models.",
      registers,
    });
    const calls = new Counter({
      name: "midtoken_mod_calls_total",
      help: "Events that mods replied to.",
      registers,
    });
    const seconds = new Counter({
      name: "midtoken_mod_seconds_total",
      help: "Seconds that requests waited for mods to reply.",
      registers,
    });
    return requests.subscribe((event) => {
      if (event.type !== "records") return;
      for (const record of event.records) {
        if (record.type === "forwardPass") passes.inc();
        if (record.type !== "modCall") continue;
        calls.inc();
        seconds.inc(record.durationUs / 1e6);
      }
    });
  }
}

/** Adds the counts of the engine's thread, which arrive as totals. */
function addUpstream(upstream: MetricsSources["upstream"], registers: Registry[]): void {
  const sums: readonly (readonly [string, string, (counts: UpstreamCounts) => number])[] = [
    [
      "midtoken_upstream_steps_total",
      "Decoding steps whose logits came from a model server.",
      ({ steps }) => steps,
    ],
    [
      "midtoken_upstream_tokens_computed_total",
      "Tokens that model servers computed, including tokens that they computed again.",
      ({ computed }) => computed,
    ],
    [
      "midtoken_upstream_tokens_new_total",
      "Tokens that model servers computed for the first time.",
      ({ unread }) => unread,
    ],
    [
      "midtoken_upstream_cuts_total",
      "Streams from model servers that were closed before their end.",
      ({ cuts }) => cuts,
    ],
    ["midtoken_upstream_moves_total", "Conversations that moved to another server.", ({ moved }) => moved],
  ];
  for (const [name, help, read] of sums) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        const counts = upstream();
        this.reset();
        if (counts) this.inc(read(counts));
      },
    });
  }
  new Counter({
    name: "midtoken_upstream_faults_total",
    help: "Failed requests to servers, by kind of fault.",
    labelNames: ["fault"],
    registers,
    collect() {
      this.reset();
      for (const [fault, count] of Object.entries(upstream()?.faults ?? {})) this.inc({ fault }, count);
    },
  });
}
