/**
 * A llama.cpp server whose layers are on two hosts, behind a gateway: the same tokens, and a clear error if a host fails.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  canStartRpcHosts,
  type RpcHosts,
  rpcHostsRequirement,
  startRpcHosts,
} from "../../../../scripts/remote/rpc-hosts.ts";
import {
  freePort,
  type RunningLlamaServer,
  startLlamaServer,
} from "../../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../../scripts/remote/story-gguf.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";

const isThere = canStartRpcHosts();
if (!isThere) test.skip(rpcHostsRequirement);

const request = { model: "stories260k", prompt: "Once upon a time", max_tokens: 200, temperature: 0 };
const textOf = async ({ client }: ServingGateway) =>
  (await client.completions.create(request)).choices[0]?.text ?? "";

describe.runIf(isThere)("on two hosts", () => {
  let folder: string;
  let model: string;
  let hosts: RpcHosts;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "midtoken-rpc-"));
    model = join(folder, "story.gguf");
    writeFileSync(model, storyGguf());
    hosts = await startRpcHosts();
  });
  afterAll(async () => {
    await hosts?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("200 tokens are those of one host; after a host is killed the text stays, and the next request works", async () => {
    const alone = await startLlamaServer({ model });
    const single = await serveGateway([alone.url]);
    const expected = await textOf(single);
    await single.stop();
    await alone.stop();

    // If an option is given twice, the last one counts.
    const flags = ["--rpc", hosts.addresses.join(","), "-ngl", "99"];
    const port = await freePort();
    let server: RunningLlamaServer = await startLlamaServer({ model, port, flags });
    const gateway = await serveGateway([server.url]);
    try {
      expect(await textOf(gateway)).toBe(expected);
      // Both hosts received their part of the weights, which have 1 MB.
      for (const host of [0, 1]) expect(hosts.bytesTo(host)).toBeGreaterThan(300_000);

      let text = "";
      const streamed = async () => {
        for await (const chunk of await gateway.client.completions.create({ ...request, stream: true })) {
          text += chunk.choices[0]?.text ?? "";
          if (text.length > 40) await hosts.kill(1);
        }
      };
      await expect(streamed()).rejects.toThrow(/ended in the middle of a response|No server answers|failed/);
      expect(text.length).toBeGreaterThan(40);
      expect(expected.startsWith(text)).toBe(true);
      await expect(textOf(gateway)).rejects.toMatchObject({ status: 503, code: "upstream_unavailable" });

      await server.stop();
      await hosts.start(1);
      server = await startLlamaServer({ model, port, flags });
      expect(await textOf(gateway)).toBe(expected);
    } finally {
      await gateway.stop();
      await server.stop();
    }
  });
});
