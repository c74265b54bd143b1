/** Messages name addresses without their secrets. */
import { expect, test } from "vitest";
import { hostInMessages, redactInvalidAddress } from "./invalid-address.ts";
import { messageOf } from "./message-of.ts";
import { redactUrlSecrets } from "./without-secrets.ts";

test.each<[string, string]>([
  ["https://user:pass@host/a.trace", "https://…@host/a.trace"],
  ["https://user:p@ss@host:8080/a", "https://…@host:8080/a"],
  ["https://token@host", "https://…@host"],
  ["HTTPS://User:Pass@Host/", "HTTPS://…@Host/"],
  ["https://host/a?token=abc&x=&sig=a/b+c==", "https://host/a?token=…&x=…&sig=…"],
  ["https://host/a#access_token=abc", "https://host/a#access_token=…"],
  ["https://host/a?0123456789abcdef0123", "https://host/a?…"],
  ["https://cdn.example/path@2/a@b.json", "https://cdn.example/path@2/a@b.json"],
  // The first segment of the path may be the rest of a token.
  ["https://host/path@2/a@b.json", "https://…@b.json"],
  ["http://user:12#eim@host/", "http://…@host/"],
  ["http://user:12/eim@host/", "http://…@host/"],
  [`http://user:12/${"eim".repeat(110)}@host/`, "http://…@host/"],
  ["http://user:12?eim@host/x said no", "http://…@host/x said no"],
  ["http://first.last:12/eim@host/", "http://…@host/"],
  ["http://us#er:eim@host/", "http://…@host/"],
  ["http://example.com/er:12@host/", "http://…@host/"],
  ["http://tok/en@host/", "http://…@host/"],
  ["http://127.0.0.1:8080/a,http://user:12/eim@host/", "http://…@host/"],
  ["https://cdn.example/a@2/b.js: 404", "https://cdn.example/a@2/b.js: 404"],
  ["https://cdn.example/a,http://user:12/eim@host/", "https://…@host/"],
  ["blob:https://host/1234", "blob:https://host/1234"],
  ["mail user:pass@host", "mail user:pass@host"],
  ["https://user:p#ss@host/x", "https://…@host/x"],
  ["https://user:p/ss@host/x", "https://…@host/x"],
  ["https://user:1?ss@host/x", "https://…@host/x"],
  ["https://user:p@s/s@host/x", "https://…@host/x"],
  ["Not an address: https://user:p ss@host:99999/x.", "Not an address: https://…@host:99999/x."],
  ["https:\\\\user:pass@host:99999", "https:\\\\…@host:99999"],
  // "localhost" and "[" may begin a user's name or a token.
  ["http://localhost:8080/@fs/a@b", "http://…@b"],
  ["http://[::1]:8080/a@b", "http://…@b"],
  ["redis://HOST:PORT, or https://host/", "redis://HOST:PORT, or https://host/"],
  [
    "http://localhost:8080, model org/name@main, said no",
    "http://localhost:8080, model org/name@main, said no",
  ],
  ["https://user:pa\\ss@host/x", "https://…@host/x"],
  [
    "It is at https://u:p@host/a?k=v. Check https://u:p@other/ too.",
    "It is at https://…@host/a?k=…. Check https://…@other/ too.",
  ],
  ["(https://host/a?key=secret), then", "(https://host/a?key=…), then"],
  ["“https://u:p@host”", "“https://…@host”"],
])("%s becomes %s", (text, expected) => {
  expect(redactUrlSecrets(text)).toBe(expected);
});

test.each<[string, string]>([
  ["https://user:pa#ss@host/x", "…@host/x"],
  ["https://user:pa ss@host:99999/x", "…@host:99999/x"],
  ["https://user:pa\nss@host:99999/x", "…@host:99999/x"],
  ["//user:pass@host:99999/x", "…@host:99999/x"],
  ["https:user:pass@host:99999/x?key=secret", "…@host:99999/x?key=…"],
  ["user:pass@host/x", "…@host/x"],
  ["owner/name@main", "owner/name@main"],
  ["@scope/name", "@scope/name"],
  ["https://[", "https://["],
])("%j, which is no address, is shown as %s", (text, expected) => {
  expect(redactInvalidAddress(text)).toBe(expected);
});

test.each<[string, string]>([
  ["https://user:pass@host:8080/a", "host:8080"],
  ["http://user:12#eim@host/", "host"],
  ["http://user:12/eim@host:80/x", "host:80"],
  ["http://user:12?eim@host", "host"],
  ["https://cdn.example/name@1.2.3/file", "cdn.example"],
  ["http://localhost:8080/@fs/a", "localhost:8080"],
  ["redis://:12/eim@host:6379", "host:6379"],
])("the host of %s is %s", (address, host) => {
  expect(hostInMessages(address)).toBe(host);
});

test("a long text is read once, whatever stands in it", () => {
  const text = "https://a:b ".repeat(50_000);
  expect(redactUrlSecrets(text)).toBe(text);
  expect(redactInvalidAddress(`${text}://`.repeat(2))).toContain("https://a:b");
  const slashes = ":\\\\".repeat(100_000);
  expect(redactUrlSecrets(slashes)).toBe(slashes);
  const dots = "://a.b/".repeat(100_000);
  expect(redactUrlSecrets(dots)).toBe(dots);
  const long = `://${"a".repeat(500_000)}`;
  expect(redactUrlSecrets(`${long}/${long}`)).toBe(`${long}/${long}`);
});

test("what a browser says of an address with a password is passed on without it", () => {
  let said: unknown;
  try {
    new Request("https://user:pass@host/a.trace");
  } catch (cause) {
    said = cause;
  }
  expect(String(said)).toContain("pass");
  expect(messageOf(said)).not.toMatch(/user:|pass@/);
});
