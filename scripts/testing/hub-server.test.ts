import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HubRepository, type HubServer, startHubServer } from "./hub-server.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-models-"));
const write = (path: string, content: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), content);
};
write("alpha/config.json", '{"max_position_embeddings": 512}');
write("alpha/onnx/model.onnx_data", "01234");
write("alpha/tokenizer.json", "{}");
write("alpha/onnx/model.onnx", "0123456789");
write("alpha/.git/config", "no file of the model");
write("README.md", "beside the folders");

const graph = new TextEncoder().encode("a graph");
const repositories: Record<string, string | HubRepository> = {
  "owner/alpha": join(folder, "alpha"),
  "owner/made": {
    main: new Map([
      ["config.json", new TextEncoder().encode("{}")],
      ["onnx/model_q4.onnx", graph],
    ]),
    revisions: { v1: new Map([["config.json", new TextEncoder().encode('{"old":true}')]]) },
    licence: "apache-2.0",
  },
  "owner/gated": { main: new Map([["config.json", new Uint8Array(2)]]), gated: true },
};
const requests: string[] = [];
let hub: HubServer;
beforeAll(async () => {
  hub = await startHubServer({
    repositories,
    treePage: 3,
    onRequest: (file, range) => requests.push(`${file} ${range}`),
  });
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(path.startsWith("/") ? hub.host + path : path, { method, headers, redirect: "manual" });
const json = async (path: string) => (await get(path)).json();
const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

describe("a file", () => {
  test("large: on another host, with its size, its SHA-256 and the commit", async () => {
    const first = await get("/owner/alpha/resolve/main/onnx/model.onnx");
    const { sha } = await json("/api/models/owner/alpha");
    expect(first.status).toBe(302);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      location: `${hub.contentHost}/owner/alpha/${sha}/onnx/model.onnx`,
      "x-linked-size": "10",
      "x-linked-etag": `"${sha256("0123456789")}"`,
      "x-repo-commit": sha,
      "access-control-allow-origin": "*",
    });
    const content = await get(String(first.headers.get("location")));
    expect([content.status, await content.text()]).toEqual([200, "0123456789"]);
    expect(content.headers.get("content-length")).toBe("10");
    expect(content.headers.get("etag")).toMatch(/^"[0-9a-f]{32}-1"$/);
  });

  test("small: on the hub itself, after a redirect too", async () => {
    const first = await get("/owner/alpha/resolve/main/config.json");
    expect([first.status, first.headers.get("location")?.startsWith("/api/resolve-cache/")]).toEqual([
      307,
      true,
    ]);
    const content = await fetch(`${hub.url("owner/alpha")}config.json`);
    expect(await content.json()).toEqual({ max_position_embeddings: 512 });
    expect(content.headers.get("etag")).toBe(first.headers.get("x-linked-etag"));
    expect(requests.at(-1)).toBe("config.json null");
  });

  test("by branch, tag, commit and the beginning of a commit", async () => {
    const text = async (revision: string) =>
      (await fetch(`${hub.url("owner/made", revision)}config.json`)).text();
    const { sha } = await json("/api/models/owner/made/revision/v1");
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    expect(await Promise.all(["main", "v1", sha, sha.slice(0, 8)].map(text))).toEqual([
      "{}",
      '{"old":true}',
      '{"old":true}',
      '{"old":true}',
    ]);
  });

  test("that changes changes the commit", async () => {
    const before = await json("/api/models/owner/alpha");
    write("alpha/tokenizer.json", "{ }");
    const after = await json("/api/models/owner/alpha");
    expect(after.sha).not.toBe(before.sha);
  });

  const large = "/owner/alpha/resolve/main/onnx/model.onnx";
  test.each<[string, Record<string, string>, string, number, string]>([
    [large, { range: "bytes=4-" }, "GET", 206, "456789"],
    [large, { range: "bytes=4-6" }, "GET", 206, "456"],
    [large, { range: "bytes=-2" }, "GET", 206, "89"],
    [large, { range: "bytes=10-" }, "GET", 416, ""],
    [large, {}, "HEAD", 200, ""],
    [large, {}, "OPTIONS", 204, ""],
    ["/owner/alpha/resolve/main/missing.json", {}, "GET", 404, '{"error":"Entry not found"}'],
    ["/owner/alpha/resolve/v1/config.json", {}, "GET", 404, '{"error":"Invalid rev id: v1"}'],
    ["/owner/other/resolve/main/config.json", {}, "GET", 401, '{"error":"Repository not found"}'],
    ["/owner/alpha/resolve/main/..%2f..%2fREADME.md", {}, "GET", 404, '{"error":"Entry not found"}'],
    ["/owner/alpha/resolve/main/.git/config", {}, "GET", 404, '{"error":"Entry not found"}'],
    ["/constructor/x/resolve/main/config.json", {}, "GET", 401, '{"error":"Repository not found"}'],
    ["/owner/%zz/resolve/main/a", {}, "GET", 500, '{"error":"URIError: URI malformed"}'],
  ])("%s %j %s answers %i", async (path, headers, method, status, body) => {
    const answer = await fetch(hub.host + path, { headers, method });
    expect([answer.status, await answer.text()]).toEqual([status, body]);
  });

  test("of a gated model is refused; its list is not", async () => {
    const answer = await get("/owner/gated/resolve/main/config.json");
    expect([answer.status, answer.headers.get("x-error-code")]).toEqual([401, "GatedRepo"]);
    expect(await json("/api/models/owner/gated/tree/main")).toHaveLength(1);
  });
});

describe("the API", () => {
  test("says what a model is", async () => {
    expect(await json("/api/models/owner/made?blobs=true")).toMatchObject({
      id: "owner/made",
      gated: false,
      tags: ["onnx", "license:apache-2.0"],
      cardData: { license: "apache-2.0" },
      siblings: [
        { rfilename: "config.json", size: 2 },
        { rfilename: "onnx/model_q4.onnx", size: 7, lfs: { sha256: sha256(graph) } },
      ],
    });
  });

  test("lists a folder", async () => {
    expect(await json("/api/models/owner/made/tree/main/onnx")).toEqual([
      {
        type: "file",
        oid: expect.any(String),
        size: 7,
        lfs: { oid: sha256(graph), size: 7, pointerSize: 134 },
        path: "onnx/model_q4.onnx",
      },
    ]);
    const root: { type: string; path: string }[] = await json("/api/models/owner/made/tree/main");
    expect(root.map(({ type, path }) => `${type} ${path}`)).toEqual(["directory onnx", "file config.json"]);
    expect((await get("/api/models/owner/made/tree/main/none")).status).toBe(404);
  });

  test("lists in pages", async () => {
    const first = await get("/api/models/owner/alpha/tree/main?recursive=true");
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await get(next);
    const all: { path: string }[] = [...(await first.json()), ...(await second.json())];
    expect(all.map(({ path }) => path)).toEqual([
      "onnx",
      "config.json",
      "onnx/model.onnx",
      "onnx/model.onnx_data",
      "tokenizer.json",
    ]);
    expect(second.headers.get("link")).toBeNull();
  });
});
