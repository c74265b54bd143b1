import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type HubServer, startHubServer } from "../../../../scripts/testing/hub-server.ts";
import { parseHubFolder } from "./hub-model-revision.ts";
import { listOnnxFolder } from "./list-folder.ts";

const bytes = (count: number) => new Uint8Array(count);
const requests: string[] = [];
let hub: HubServer;
beforeAll(async () => {
  hub = await startHubServer({
    repositories: {
      "owner/model": {
        main: new Map([
          ["config.json", bytes(2)],
          ["onnx/model.onnx", bytes(30)],
          ["onnx/model.onnx_data", bytes(400)],
          ["onnx/model_q4.onnx", bytes(70)],
        ]),
        revisions: { "refs/pr/1": new Map([["onnx/model_fp16.onnx", bytes(5)]]) },
      },
      "owner/empty": { main: new Map([["model.safetensors", bytes(2)]]) },
    },
    treePage: 2,
    onRequest: (file) => requests.push(file),
  });
});
afterAll(() => hub.close());

describe("on a hub", () => {
  test("all pages of the list are read, and no file", async () => {
    expect(await listOnnxFolder(hub.url("owner/model"))).toEqual([
      { path: "onnx/model.onnx", bytes: 30 },
      { path: "onnx/model.onnx_data", bytes: 400 },
      { path: "onnx/model_q4.onnx", bytes: 70 },
    ]);
    expect(requests).toEqual([]);
  });

  test("another revision is another list", async () => {
    expect(await listOnnxFolder(hub.url("owner/model", "refs/pr/1"))).toEqual([
      { path: "onnx/model_fp16.onnx", bytes: 5 },
    ]);
  });

  test("without an onnx folder the list is empty", async () => {
    expect(await listOnnxFolder(hub.url("owner/empty"))).toEqual([]);
  });

  test.each([
    ["a model that is not there", "owner/none", "main", 401, "There is no model owner/none on Hugging Face"],
    ["a revision that is not there", "owner/model", "v9", 404, "owner/model has no revision v9"],
  ])("%s", async (_, id, revision, status, message) => {
    const listing = listOnnxFolder(hub.url(id, revision));
    await expect(listing).rejects.toMatchObject({ name: "ModelFileError", status });
    await expect(listing).rejects.toThrow(message);
  });

  test.each<[number, string | null, string]>([
    [403, "GatedRepo", "is private or gated. Accept its terms on Hugging Face"],
    [429, null, "too many requests"],
    [503, null, "Hugging Face failed"],
    [200, null, "of the files of"],
  ])("status %i is said in words", async (status, code, message) => {
    const headers = new Headers(code === null ? [] : [["x-error-code", code]]);
    const answer = async () => new Response("<p>", { status, headers });
    await expect(
      listOnnxFolder("https://huggingface.co/owner/model/resolve/main/", { fetch: answer }),
    ).rejects.toThrow(message);
  });

  test("that has no API but the addresses, each graph is asked for", async () => {
    const answer: typeof fetch = async (url) =>
      String(url).endsWith("/onnx/model_q4.onnx")
        ? new Response(null, { headers: { "content-length": "7" } })
        : new Response("no", { status: 404 });
    expect(await listOnnxFolder("https://mirror.example/a/b/resolve/main/", { fetch: answer })).toEqual([
      { path: "onnx/model_q4.onnx", bytes: 7 },
    ]);
  });

  test("a next page on another server is not asked for", async () => {
    const asked: string[] = [];
    const answer: typeof fetch = async (url) => {
      asked.push(String(url));
      return Response.json([], { headers: { link: '<https://elsewhere.example/?cursor=1>; rel="next"' } });
    };
    expect(await listOnnxFolder("https://huggingface.co/a/b/resolve/main/", { fetch: answer })).toEqual([]);
    expect(asked).toEqual(["https://huggingface.co/api/models/a/b/tree/main/onnx"]);
  });

  test("a list without end is given up", async () => {
    let asked = 0;
    const answer: typeof fetch = async () => {
      asked += 1;
      return Response.json([{ type: "file", path: `onnx/${asked}`, size: -1 }], {
        headers: { link: `</api?cursor=${asked}>; rel="next"` },
      });
    };
    const files = await listOnnxFolder("https://huggingface.co/a/b/resolve/main/", { fetch: answer });
    expect(files).toHaveLength(10);
    expect(files[0]?.bytes).toBeNull();
  });
});

describe("elsewhere", () => {
  let server: Server;
  const serve = async (listener: RequestListener) => {
    server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/models/mine/`;
  };
  afterEach(() => server?.close());
  const there: Record<string, number> = {
    "/models/mine/onnx/model.onnx": 3,
    "/models/mine/onnx/model.onnx_data": 4,
    "/models/mine/onnx/model_quantized.onnx": 5,
  };
  const found = [
    { path: "onnx/model.onnx", bytes: 3 },
    { path: "onnx/model_quantized.onnx", bytes: 5 },
    { path: "onnx/model.onnx_data", bytes: 4 },
  ];

  test("each graph is asked for by its name", async () => {
    const methods = new Set<string | undefined>();
    const folder = await serve(({ url = "", method }, response) => {
      methods.add(method);
      const size = there[url];
      response.writeHead(size ? 200 : 404, { "content-length": size ?? 0 }).end();
    });
    expect(await listOnnxFolder(folder)).toEqual(found);
    expect([...methods]).toEqual(["HEAD"]);
  });

  test("graphs in parts where there is no whole one", async () => {
    const parts = [
      "embed_tokens_fp16.onnx",
      "decoder_model_merged_q4.onnx",
      "decoder_model_merged_q4.onnx_data",
    ];
    const folder = await serve(({ url = "" }, response) => {
      const isThere = parts.some((part) => url === `/models/mine/onnx/${part}`);
      response.writeHead(isThere ? 200 : 404, { "content-length": isThere ? 6 : 0 }).end();
    });
    expect(await listOnnxFolder(folder)).toEqual(parts.map((part) => ({ path: `onnx/${part}`, bytes: 6 })));
  });

  test("also where the server knows no HEAD", async () => {
    const folder = await serve(({ url = "", method }, response) => {
      if (method === "HEAD") return response.writeHead(405).end();
      const size = there[url];
      return response.writeHead(size ? 200 : 404).end("x".repeat(size ?? 0));
    });
    expect((await listOnnxFolder(folder)).map(({ path }) => path)).toEqual(found.map(({ path }) => path));
  });

  test("a start page for every address is no graph", async () => {
    const folder = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html>");
    });
    expect(await listOnnxFolder(folder)).toEqual([]);
  });

  test("a server that cannot be reached is named", async () => {
    await expect(listOnnxFolder("http://127.0.0.1:9/x/")).rejects.toThrow(
      "from 127.0.0.1:9 failed (fetch failed): the host cannot be reached",
    );
  });
});

test("cancelled, it ends with the reason", async () => {
  const signal = AbortSignal.abort(new Error("Enough."));
  await expect(listOnnxFolder(hub.url("owner/model"), { signal })).rejects.toThrow("Enough.");
});

test.each([
  [
    "https://huggingface.co/a/b/resolve/main/",
    { root: "https://huggingface.co", id: "a/b", revision: "main" },
  ],
  ["https://x.example/hf/a/b/resolve/v1/", { root: "https://x.example/hf", id: "a/b", revision: "v1" }],
  ["https://x.example/models/mine/", null],
  ["file:///a/b/resolve/main/", null],
])("%s", (address, place) => {
  expect(parseHubFolder(address)).toEqual(place);
});
