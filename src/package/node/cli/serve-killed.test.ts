/**
 * Two gateway processes with one Redis or one PostgreSQL, and one model server: what one process has finished still exists
 * after the process was killed.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findLlamaServer } from "../../../../scripts/remote/find-server.ts";
import { startLlamaServer } from "../../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../../scripts/remote/story-gguf.ts";
import {
  bundleGatewayScripts,
  type GatewayProcess,
  type GatewayScripts,
} from "../../../../scripts/testing/gateway-process.ts";
import { lateWasmOptimization } from "../../../../scripts/v8-switches.ts";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { hasPostgres, postgresMissing, startPostgres } from "../testing/postgres-server.ts";
import { hasRedis, redisMissing, startRedis } from "../testing/redis-server.ts";
import { bundledModel } from "../testing/test-terminal.ts";

const source = `import { mod } from "midtoken/mod";
export default mod({ forwardPass: (event, actions) => event.step === 0 ? actions.forceTokens("HELLO") : undefined });`;
const ask = { model: "stories260k/hello", prompt: "Once upon a time", max_tokens: 60, temperature: 0 };

const clientOf = ({ address }: GatewayProcess) =>
  new OpenAI({ apiKey: "none", baseURL: address, maxRetries: 0 });
const traceAt = async ({ address }: GatewayProcess, id: string) => {
  const response = await fetch(`${address}/requests/${id}/trace`);
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
};

interface ModelServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A real llama.cpp server if there is one, else the fake one. */
async function startModelServer(): Promise<ModelServer> {
  if (findLlamaServer() === null) {
    const fake = await startFakeStoryServer({ slots: 4 });
    return { url: fake.url, stop: () => fake.close() };
  }
  const folder = mkdtempSync(join(tmpdir(), "midtoken-killed-"));
  const model = join(folder, "story.gguf");
  writeFileSync(model, storyGguf());
  const server = await startLlamaServer({ model, slots: 4 });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const databases = [
  ...(hasRedis ? [["Redis", startRedis] as const] : []),
  ...(hasPostgres ? [["PostgreSQL", startPostgres] as const] : []),
];
if (!hasRedis) test.skip(redisMissing);
if (!hasPostgres) test.skip(postgresMissing);

let server: ModelServer | null = null;
let scripts: GatewayScripts | null = null;
beforeAll(async () => {
  if (databases.length === 0) return;
  server = await startModelServer();
  scripts = await bundleGatewayScripts();
});
afterAll(async () => {
  scripts?.remove();
  await server?.stop();
});

test.each(databases)(
  "a gateway is killed in the middle of an answer: the other has its mods, traces and responses, from %s",
  async (_, startDatabase) => {
    const database = await startDatabase();
    const gateways: GatewayProcess[] = [];
    const start = async (): Promise<GatewayProcess> => {
      if (!server || !scripts) throw new Error("No server was started.");
      const gateway = await scripts.start({
        engines: [server.url],
        model: bundledModel,
        words: ["--store", database.url],
        nodeOptions: [lateWasmOptimization],
      });
      gateways.push(gateway);
      return gateway;
    };
    try {
      const [killed, other] = [await start(), await start()];
      const registered = await fetch(`${killed.address}/mods`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "hello", source }),
      });
      expect(registered.status).toBe(200);
      const client = clientOf(killed);
      const whole = await client.completions.create(ask);
      const text = whole.choices[0]?.text ?? "";
      const [id = ""] = (whole as unknown as { midtoken: { request_ids: string[] } }).midtoken.request_ids;
      const input = { model: "stories260k", input: "Hi", max_output_tokens: 20, temperature: 0 };
      const response = await client.responses.create(input);

      let pieces = 0;
      const cut = async () => {
        for await (const _piece of await client.completions.create({ ...ask, stream: true })) {
          pieces += 1;
          if (pieces === 3) await killed.stop("SIGKILL");
        }
      };
      // The client notices that the answer is incomplete.
      await expect(cut()).rejects.toThrow();

      const trace = await traceAt(other, id);
      expect(trace.status).toBe(200);
      expect(trace.bytes.length).toBeGreaterThan(100);
      const again = await clientOf(other).completions.create(ask);
      expect(again.choices[0]?.text).toBe(text);
      expect(text).toContain("HELLO");
      const next = { ...input, input: "And then?", previous_response_id: response.id };
      expect((await clientOf(other).responses.create(next)).status).toBe("incomplete");

      const restarted = await start();
      expect((await traceAt(restarted, id)).bytes).toEqual(trace.bytes);
      expect((await clientOf(restarted).completions.create(ask)).choices[0]?.text).toBe(text);
      for (const gateway of gateways) await gateway.stop();
    } finally {
      for (const gateway of gateways) await gateway.stop("SIGKILL");
      await database.end();
    }
  },
);
