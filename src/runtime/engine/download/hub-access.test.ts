import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type HubServer, startHubServer } from "../../../../scripts/testing/hub-server.ts";
import { parseHubToken } from "../../../core/base/hub-token.ts";
import { readConfig } from "../files/files.ts";
import { createUrlSource } from "../files/url-source.ts";
import { createFetchWithAccess } from "./hub-access.ts";

const seen: (readonly ["hub" | "content", string | null])[] = [];
const token = "hf_secret";
let hub: HubServer;

beforeAll(async () => {
  const main = "public/models/stories260k";
  hub = await startHubServer({
    repositories: {
      "of/private": { main, token },
      "of/gated": { main, token, gated: true },
      "of/everyone": { main },
    },
    onAuthorization: (host, header) => seen.push([host, header]),
  });
});
afterAll(() => hub.close());

const sourceOf = (id: string, given: string | null) => {
  const access = given === null ? null : parseHubToken({ token: given, origin: hub.host });
  return createUrlSource(hub.url(id), { store: null, retryDelayMs: 1, fetch: createFetchWithAccess(access) });
};

test.each(["of/private", "of/gated"])(
  "%s is read with its token alone, which the host of large files never sees",
  async (id) => {
    seen.length = 0;
    const source = sourceOf(id, token);
    expect(await readConfig(source)).toMatchObject({ model_type: "llama" });
    expect((await source.list()).map(({ path }) => path)).toContain("onnx/model.onnx");
    await source.read("onnx/model.onnx", { kind: "binary", maxBytes: 1e8 });
    expect(seen.filter(([host]) => host === "hub").every(([, header]) => header === `Bearer ${token}`)).toBe(
      true,
    );
    const content = seen.filter(([host]) => host === "content");
    expect(content.length).toBeGreaterThan(0);
    expect(content.every(([, header]) => header === null)).toBe(true);

    for (const wrong of [null, "hf_other"]) {
      const refusal = await readConfig(sourceOf(id, wrong)).catch((error: Error) => error.message);
      expect(refusal).toMatch(/models on Hugging Face need an access token|give a Hugging Face access token/);
      expect(refusal).not.toContain("hf_");
    }
  },
);

test("a Request keeps its headers, unless the options have others", async () => {
  const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response());
  const get = createFetchWithAccess(parseHubToken({ token, origin: "https://hub.example" }));
  const request = new Request("https://hub.example/a", { headers: { range: "bytes=0-1" } });
  await get(request);
  await get(request, { headers: { accept: "a/b" } });
  const sent = asked.mock.calls.map(([, init]) => Object.fromEntries(new Headers(init?.headers)));
  asked.mockRestore();
  const authorization = `Bearer ${token}`;
  expect(sent).toEqual([
    { authorization, range: "bytes=0-1" },
    { authorization, accept: "a/b" },
  ]);
});

test("other origins never see the token", async () => {
  seen.length = 0;
  const access = parseHubToken({ token, origin: "https://hub.example" });
  await readConfig(
    createUrlSource(hub.url("of/everyone"), { store: null, fetch: createFetchWithAccess(access) }),
  );
  expect(seen.every(([, header]) => header === null)).toBe(true);
});

test.each([
  ["", /empty/],
  ["hf_a b", /space or a line break/],
  ["hf_a\r\nx-evil: 1", /space or a line break/],
  [{ token: "hf_secret", origin: "http://hub.example" }, /begins with https/],
  [{ token: "hf_secret", origin: "no address" }, /begins with https/],
])("%j is refused in words that do not contain it", (given, says) => {
  const message = (() => {
    try {
      return JSON.stringify(parseHubToken(given));
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(message).toMatch(says);
  expect(message).not.toContain("hf_");
});

test("a text is a token for huggingface.co", () => {
  expect(parseHubToken("hf_x")).toEqual({ token: "hf_x", origin: "https://huggingface.co" });
});
