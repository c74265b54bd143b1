/** Origins are matched exactly: origins of sites, extensions and apps; "null" if it is listed; all of them for "*". */
import { expect, test } from "vitest";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createFetchHandler } from "./fetch-handler.ts";
import { type AllowedOrigins, originProblem } from "./other-origins.ts";

const engine = {
  models: { list: () => [] },
  mods: { list: () => [], sync: async () => undefined },
} as unknown as MidtokenEngine;

async function statusFor(origin: string, origins: AllowedOrigins, url = "http://127.0.0.1:8080/v1/models") {
  const response = await createFetchHandler(engine, { origins })(new Request(url, { headers: { origin } }));
  expect(response.headers.get("access-control-allow-origin")).toBe(response.ok ? origin : null);
  return response.status;
}

const apps = [
  "https://example.com",
  "http://localhost:3000",
  "http://[::1]:3000",
  "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
  "moz-extension://0c5b7a5e-6d5e-4b7f-9c1e-2f0f3b1c5a11",
  "safari-web-extension://0C5B7A5E-6D5E-4B7F-9C1E-2F0F3B1C5A11",
  "app://obsidian.md",
  "app://.",
  "app://-",
  "tauri://localhost",
  "https://tauri.localhost",
  "capacitor://localhost",
  "ionic://localhost",
  "vscode-webview://1c8q3r4t5v6w7x8y9z0a1b2c3d4e5f6g7h8i9j0k",
  "vscode-file://vscode-app",
  "file://",
  "null",
];

test.each(apps)("%s may ask when it is named, and only then", async (origin) => {
  expect(originProblem(origin)).toBeNull();
  expect(await statusFor(origin, [origin])).toBe(200);
  expect(await statusFor(origin, "*")).toBe(200);
  expect(await statusFor(origin, ["https://other.example", "*"])).toBe(200);
  expect(await statusFor(origin, [])).toBe(403);
  expect(
    await statusFor(
      origin,
      apps.filter((each) => each !== origin),
    ),
  ).toBe(403);
});

test.each([
  ["https://example.com", "https://example.com.evil.example"],
  ["https://example.com", "https://example.co"],
  ["https://example.com", "http://example.com"],
  ["https://example.com", "https://example.com:444"],
  ["https://example.com", "https://a.example.com"],
  ["https://example.com", "HTTPS://EXAMPLE.COM"],
  ["https://example.com", "https://example.com, https://evil.example"],
  ["chrome-extension://abc", "chrome-extension://abcd"],
  ["chrome-extension://abc", "chrome-extension://ab"],
  ["app://a", "app://"],
  ["tauri://localhost", "null"],
  ["null", "NULL"],
  ["null", ""],
  ["null", "undefined"],
  ["https://example.com", "*"],
  ["https://example.com", "toString"],
])("where %s is named, %j may not ask", async (named, origin) => {
  expect(await statusFor(origin, [named])).toBe(403);
});

test('an app\'s own address is no page of "null"', async () => {
  for (const url of ["app://local/v1/models", "chrome-extension://abc/v1/models"]) {
    expect(await statusFor("null", [], url)).toBe(403);
    const own = new Request(url, { headers: { origin: url.replace("/v1/models", "") } });
    expect((await createFetchHandler(engine)(own)).status).toBe(200);
  }
});

test.each([
  ["https://example.com/", "write https://example.com"],
  ["https://example.com/page", "write https://example.com"],
  ["HTTPS://Example.com", "write https://example.com"],
  ["https://example.com:443", "write https://example.com"],
  ["https://user@example.com", "write https://example.com"],
  ["https://*.example.com", "give a site"],
  ["chrome-extension://*", "give a site"],
  ["chrome-extension://", "give a site"],
  ["chrome-extension://abc/page.html", "give a site"],
  ["example.com", "give a site"],
  ["https://", "give a site"],
  ["https://a.example,https://b.example", "give a site"],
  ["tauri:localhost", "give a site"],
  ["", "give a site"],
  ["**", "give a site"],
])("%j is refused, since no browser sends it", (origin, advice) => {
  expect(originProblem(origin)).toContain(advice);
  expect(() => createFetchHandler(engine, { origins: [origin] })).toThrow(TypeError);
});

test("a page that may ask is told so before it reaches this machine's network, another one is not", async () => {
  const ask = (origins: AllowedOrigins) =>
    createFetchHandler(engine, { origins })(
      new Request("http://127.0.0.1:8080/v1/models", {
        method: "OPTIONS",
        headers: { origin: "https://a.example", "access-control-request-private-network": "true" },
      }),
    );
  expect((await ask(["https://a.example"])).headers.get("access-control-allow-private-network")).toBe("true");
  const refused = await ask([]);
  expect([refused.status, refused.headers.get("access-control-allow-private-network")]).toEqual([403, null]);
});
