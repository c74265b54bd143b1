import { afterEach, expect, test, vi } from "vitest";
import { createBrowserExchange } from "./browser-exchange.ts";

const request = {
  method: "GET",
  url: "https://models.example/v1/models",
  headers: { authorization: "Bearer a-key-that-nobody-may-see" },
  maxBytes: 1_000,
} as const;

afterEach(() => vi.unstubAllGlobals());

/** A browser that reports each readable request as failed. `isThere`: a server answers what nobody may read. */
function browserWith(isThere: boolean) {
  const sent: RequestInit[] = [];
  const send = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push(init);
    if (init.mode === "no-cors" && isThere) return new Response("");
    throw new TypeError("Failed to fetch");
  };
  return { sent, exchange: createBrowserExchange(send as typeof fetch) };
}

test("a server that does not allow this page is told apart from none, and the second request has no key", async () => {
  const { exchange, sent } = browserWith(true);
  await expect(exchange(request)).rejects.toMatchObject({
    fault: "cors",
    message: expect.stringMatching(/^A server answers at https:\/\/models\.example but does not let .*CORS/),
  });
  expect(sent).toHaveLength(2);
  expect(JSON.stringify(sent[1])).not.toContain("a-key-that-nobody-may-see");
});

test("if nobody answers, the error says so", async () => {
  const { exchange } = browserWith(false);
  await expect(exchange(request)).rejects.toMatchObject({
    fault: "unreachable",
    message:
      "No server answers at https://models.example. Start the server, or correct the address, and run again.",
  });
});

test("a request that is stopped is not tried again", async () => {
  const controller = new AbortController();
  controller.abort(new Error("stopped"));
  const { exchange, sent } = browserWith(true);
  await expect(exchange({ ...request, signal: controller.signal })).rejects.toThrow("stopped");
  expect(sent).toHaveLength(1);
});

test("a page that is isolated cannot tell, and says both", async () => {
  vi.stubGlobal("crossOriginIsolated", true);
  const { exchange, sent } = browserWith(true);
  await expect(exchange(request)).rejects.toMatchObject({
    fault: "unreachable",
    message: expect.stringMatching(/^No server at https:\/\/models\.example answers this page\. .*CORS/),
  });
  expect(sent).toHaveLength(1);
});

test("a relay that is gone is no question of the origin", async () => {
  vi.stubGlobal("location", new URL("https://models.example/"));
  const { exchange, sent } = browserWith(true);
  await expect(exchange(request)).rejects.toThrow("No server answers at https://models.example.");
  expect(sent).toHaveLength(1);
});
