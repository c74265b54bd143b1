import { expect, test } from "vitest";
import { parseServerAddress, relayAddress } from "./server-address.ts";

test.each([
  [" http://127.0.0.1:9931/ ", "http://127.0.0.1:9931"],
  ["http://localhost:8000", "http://localhost:8000"],
  ["https://models.example/llama/", "https://models.example/llama"],
])("%s is asked directly", (text, url) => {
  expect(parseServerAddress(text)).toEqual({ url });
});

test.each([
  ["127.0.0.1:9931", /is not an address/],
  ["ftp://models.example", /is not an address/],
  [
    "http://192.168.1.7:9931",
    /only to its own computer .*, not to 192\.168\.1\.7:9931\. Start the page with npm start -- --engine http/,
  ],
  ["http://127.0.0.1.evil.example", /only to its own computer .*, not to 127\.0\.0\.1\.evil\.example\./],
  ["https://user:secret@models.example", /Type the key into its own field/],
  ["https://models.example/?key=secret", /Type the key into its own field/],
])("%s is refused", (text, problem) => {
  expect(parseServerAddress(text)).toEqual({ problem: expect.stringMatching(problem) });
});

test("a refusal does not repeat a key in the address", () => {
  expect(JSON.stringify(parseServerAddress("https://user:secret@models.example/?key=secret"))).not.toContain(
    "secret",
  );
  expect(JSON.stringify(parseServerAddress("https://user:sec#ret@models.example"))).not.toMatch(/sec|ret/);
  for (const password of ["12#eim", "12/eim", "12?eim"])
    expect(parseServerAddress(`http://user:${password}@models.example/`)).toEqual({
      problem: expect.stringMatching(/^The address typed for models\.example has a user name/),
    });
});

test.each([
  ["http://127.0.0.1:4173/", "http://127.0.0.1:4173/engine"],
  ["http://127.0.0.1:4173/index.html?x#y", "http://127.0.0.1:4173/engine"],
  ["https://page.example/sub/path/", "https://page.example/sub/path/engine"],
])("the relay of %s", (base, url) => {
  expect(relayAddress(base)).toBe(url);
});
