import { expect, test } from "vitest";
import { crossOriginIsolationHeaders } from "../../../core/base/isolation.ts";
import { addIsolationHeaders } from "./isolate.ts";

const isolation = (response: Response) =>
  Object.fromEntries(
    Object.keys(crossOriginIsolationHeaders).map((name) => [name, response.headers.get(name)]),
  );

test("a host's answer gets the headers that it lacks, and stays what it is", async () => {
  const given = new Response("page", {
    status: 203,
    statusText: "Fine",
    headers: { "content-type": "text/html" },
  });
  const isolated = addIsolationHeaders(given);
  expect(isolation(isolated)).toEqual(crossOriginIsolationHeaders);
  expect([isolated.status, isolated.statusText, isolated.headers.get("content-type")]).toEqual([
    203,
    "Fine",
    "text/html",
  ]);
  expect(await isolated.text()).toBe("page");
});

test("what the host says itself stays", () => {
  const headers = { "cross-origin-embedder-policy": "credentialless" };
  expect(isolation(addIsolationHeaders(new Response("", { headers })))).toEqual({
    ...crossOriginIsolationHeaders,
    ...headers,
  });
  const whole = new Response("", { headers: crossOriginIsolationHeaders });
  expect(addIsolationHeaders(whole)).toBe(whole);
});

test("an answer without content, and one that cannot be made anew", () => {
  expect(isolation(addIsolationHeaders(new Response(null, { status: 304 })))).toEqual(
    crossOriginIsolationHeaders,
  );
  const failed = Response.error();
  expect(addIsolationHeaders(failed)).toBe(failed);
});
