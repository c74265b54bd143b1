/**
 * The suite in Node: the attempts of the browsers' suite and Node's own, on a mod in QuickJS and on a plain thread, which must leak. An attempt
 * whose names are a browser's alone does not exist in Node: the plain thread says so with a ReferenceError.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { nodeDeadlines } from "../../src/package/node/node-session.ts";
import { createQuickJsPool, type QuickJsPoolOptions } from "../../src/package/node/quickjs/quickjs-pool.ts";
import { compileMod } from "../../src/runtime/sandbox/compile.ts";
import type { CompiledMod } from "../../src/runtime/sandbox/compiled-mod.ts";
import { serializeTokenizer } from "../../src/runtime/sandbox/port-mod-host.ts";
import type { SandboxPool } from "../../src/runtime/sandbox/sandbox-pool.ts";
import type { Attack } from "./attack.ts";
import { type Attempt, attackMod, attackText, attemptText, readAttempt, reportLeak } from "./attempt.ts";
import { benign, type Hostile } from "./hostile.ts";
import { type ModTask, type ModTaskResult, performTask, tokenizerData } from "./mod-task.ts";
import type { Outcome, Targets } from "./targets.ts";
import { verdict } from "./verdict.ts";

type NodeMode = "sandbox" | "control";

interface NodeTargets extends Targets {
  /** A file that nobody but its owner may read. */
  readonly file: string;
}

export class NodeSuite {
  readonly #pool: SandboxPool;
  readonly #limits: QuickJsPoolOptions["limits"];
  readonly #hits = new Set<string>();
  readonly #heard = new Set<string>();
  readonly #folder = mkdtempSync(join(tmpdir(), "midtoken-suite-"));
  readonly #channel = new BroadcastChannel("midtoken-suite");
  readonly #server: Server;

  private constructor(server: Server, limits: QuickJsPoolOptions["limits"]) {
    this.#server = server;
    this.#limits = limits;
    this.#pool = createQuickJsPool({ limits });
    writeFileSync(this.#file, "a secret", { mode: 0o600 });
    this.#pool.prepare(serializeTokenizer(tokenizerData));
    this.#pool.keepReady(2);
    server.on("request", ({ url = "" }, response) => {
      this.#hits.add(url.replace(/^.*\/hit\/|\.\w+$/g, ""));
      response.setHeader("content-type", "text/javascript");
      response.end("export default 1;");
    });
    this.#channel.onmessage = ({ data }: MessageEvent) => this.#heard.add(String(data));
  }

  /** @param limits of every guest; those of requests unless given. */
  static async open(limits: QuickJsPoolOptions["limits"] = {}): Promise<NodeSuite> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new NodeSuite(server, limits);
  }

  async close(): Promise<void> {
    this.#pool.dispose();
    this.#channel.close();
    rmSync(this.#folder, { recursive: true });
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #file(): string {
    return join(this.#folder, "secret.txt");
  }

  /** Runs the attacks in order. A request that reached a server counts as an escape, whatever the attempt says; `note`: the attempt's own words. */
  async attack(attacks: readonly Attack[], mode: NodeMode): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const attack of attacks) {
      const targets = this.#targetsOf(attack, mode);
      const attempts = [await this.#attempt(attack, targets, mode)];
      if (attack.twice) attempts.push(await this.#attempt(attack, targets, mode));
      outcomes.push({
        name: attack.name,
        mode,
        leak: reportLeak(attack, attempts),
        note: attempts[0]?.note ?? "",
      });
    }
    // Earlier requests and messages have arrived when the server answers a later request, and the channel a later message.
    await fetch(`${this.#address}/hit/last`);
    return outcomes.map((outcome) => ({ ...outcome, leak: this.#arrived(outcome) ?? outcome.leak }));
  }

  #arrived({ name, mode }: Outcome): string | null {
    const id = `${mode}-${name}`;
    if (this.#hits.has(id)) return "a request arrived";
    if (this.#heard.has(id)) return "a message arrived";
    return existsSync(`${this.#file}.${id}`) ? "a file was written" : null;
  }

  get #address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #targetsOf({ name }: Attack, mode: NodeMode): NodeTargets {
    const id = `${mode}-${name}`;
    const address = `${this.#address}/hit/${id}`;
    const socket = address.replace("http", "ws");
    return { id, cross: address, same: address, socket, stunPort: 9, quicPort: 9, file: this.#file };
  }

  async #attempt(attack: Attack, targets: NodeTargets, mode: NodeMode): Promise<Attempt> {
    if (mode === "control") return inPlainThread(attack, targets);
    const { mod, note } = attackMod(attack, targets);
    const { replies } = await this.ask(mod, { deadlines: nodeDeadlines });
    return readAttempt(replies[0], note);
  }

  /** Runs a mod over the real path: pool, port, the engine's side, here on this thread. */
  async ask(
    mod: CompiledMod,
    task: Partial<ModTask>,
    pool: SandboxPool = this.#pool,
  ): Promise<ModTaskResult> {
    const guest = await pool.spawn(mod);
    const { port, pingPort, about, kill } = guest;
    return performTask(
      { port, pingPort, about, seed: 1, deadlines: {}, events: ["prefilled"], ...task },
      kill,
    );
  }

  /** One after the other, each followed by a mod that does nothing wrong. */
  async endure(attempts: readonly Hostile[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const hostile of attempts) {
      const done = await this.#endureOne(hostile);
      const leaks = [...verdict(inNode(hostile), done), done.damage, await this.stillWorks()];
      const faults =
        done.replies.map(({ fault }) => fault?.kind ?? "answered").join(", ") || done.finishReason;
      const leak = leaks.filter((each) => each !== null).join("; ") || null;
      outcomes.push({ name: hostile.name, mode: "sandbox", leak, note: `${faults}` });
    }
    return outcomes;
  }

  async #endureOne(hostile: Hostile): Promise<ModTaskResult> {
    const { program, source, event, faults } = hostile;
    const compiled = compiledMod(source ?? benign);
    const events = faults.length === 0 ? ("decode" as const) : [event, event];
    const deadlines = deadlinesOf(hostile);
    if (program === undefined) return this.ask(compiled, { events, deadlines });
    const pool = createQuickJsPool({ program, limits: this.#limits });
    try {
      return await this.ask(compiled, { events, deadlines }, pool);
    } finally {
      pool.dispose();
    }
  }

  async stillWorks(): Promise<string | null> {
    const { replies } = await this.ask(compiledMod(benign), {
      events: ["added"],
      deadlines: nodeDeadlines,
    });
    const [reply] = replies;
    return reply?.action.type === "forceTokens" ? null : `the next mod failed: ${reply?.fault?.message}`;
  }
}

/** Outcomes that differ in QuickJS from a browser's, and are no worse. */
const otherwise: Readonly<Record<string, Partial<Hostile>>> = {
  // A port does not take a Proxy; here the Proxy's fields are copied, and the second answer is one too many.
  "__proto__/getter/Proxy payload": { faults: [null, "protocol"], action: { type: "noop" } },
  // Each row is copied out of the guest's memory, whatever memory it lies in, and nothing but the row.
  "a row in shared memory": { faults: [null, null] },
  "a row inside of much more": { faults: [null, null] },
  "a vector inside of much more": { faults: [null, null] },
  "a row that can grow": { faults: [null, null] },
};

/** Deadlines in milliseconds, as for requests, but longer for mods that are slow without being stuck. */
const patience: Readonly<Record<string, ModTask["deadlines"]>> = {
  "an ear at every call of the language": { load: nodeDeadlines.load, event: 30_000 },
  // QuickJS takes seconds to write down a million layers.
  "layers without end": { load: 120_000, prefilled: 120_000 },
  // Its first answer may be late on a busy machine.
  "an answer, then a loop": { load: nodeDeadlines.load, event: 500 },
};

/**
 * A guest that has to answer gets the time of Node's requests: beside busy processes QuickJS may need more than a browser's
 * deadlines. A guest that may hang is ended after a browser's deadline, since it keeps a processor busy until then.
 */
function deadlinesOf({ name, event, faults }: Hostile): ModTask["deadlines"] {
  const own = patience[name];
  if (own) return own;
  const mayHang = faults.some((fault) => fault === "*" || fault?.includes("timeout"));
  if (!mayHang) return nodeDeadlines;
  return event === "prefilled" ? {} : { load: nodeDeadlines.load };
}

/** A guest that uses what QuickJS has not comes to an end by that. */
function inNode(hostile: Hostile): Hostile {
  const known = { ...hostile, ...otherwise[hostile.name] };
  const faults = known.faults.map((fault) => (fault === null || fault === "*" ? fault : `${fault}|crashed`));
  return { ...known, faults };
}

/** Attempts of whose names the plain thread has none. */
export function absentInNode(control: readonly Outcome[]): ReadonlySet<string> {
  const missing = control.filter(
    ({ leak, note }) => leak === null && note.startsWith("threw ReferenceError"),
  );
  return new Set(missing.map(({ name }) => name));
}

function compiledMod(source: string): CompiledMod {
  const result = compileMod(source, "attack");
  if (!result.ok) throw new Error(`${result.problems[0]?.message} In:\n${source}`);
  return result;
}

/** Milliseconds. An attempt that hangs has reported nothing; the server still listens. */
const longestControl = 15_000;

async function inPlainThread(attack: Attack, targets: NodeTargets): Promise<Attempt> {
  const text = `${attackText(attack, targets)}(async () => {
  ${attemptText}
  require("node:worker_threads").parentPort.postMessage({ report, note });
})();`;
  const thread = new Worker(text, { eval: true, stdout: true, stderr: true });
  const attempt = new Promise<Attempt>((resolve) => {
    const nothing = (note: string) => resolve({ report: undefined, note });
    thread.on("message", resolve);
    thread.on("error", (error) => nothing(String(error)));
    thread.on("exit", (code) => nothing(`it ended with ${code}`));
    setTimeout(() => nothing("it took too long"), longestControl).unref();
  });
  return attempt.finally(() => thread.terminate());
}

export const leaking = (outcomes: readonly Outcome[]) => outcomes.filter(({ leak }) => leak !== null);

/** A sentence about each outcome that is not as it should be. */
export const leakSentences = (outcomes: readonly Outcome[]) =>
  leaking(outcomes).map(({ name, leak, note }) => `${name}: ${leak} (${note})`);
