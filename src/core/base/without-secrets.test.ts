/** Messages name addresses without their secrets. */
import { expect, test } from "vitest";
import { redactInvalidAddress } from "./invalid-address.ts";
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
  ["https://host/path@2/a@b.json", "https://host/path@2/a@b.json"],
  ["blob:https://host/1234", "blob:https://host/1234"],
  ["mail user:pass@host", "mail user:pass@host"],
  ["https://user:p#ss@host/x", "https://…@host/x"],
  ["https://user:p/ss@host/x", "https://…@host/x"],
  ["https://user:1?ss@host/x", "https://…@host/x"],
  ["https://user:p@s/s@host/x", "https://…@host/x"],
  ["Not an address: https://user:p ss@host:99999/x.", "Not an address: https://…@host:99999/x."],
  ["https:\\\\user:pass@host:99999", "https:\\\\…@host:99999"],
  ["http://localhost:8080/@fs/a@b", "http://localhost:8080/@fs/a@b"],
  ["http://[::1]:8080/a@b", "http://[::1]:8080/a@b"],
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

test("a long text is read once, whatever stands in it", () => {
  const text = "https://a:b ".repeat(50_000);
  expect(redactUrlSecrets(text)).toBe(text);
  expect(redactInvalidAddress(`${text}://`.repeat(2))).toContain("https://a:b");
  const slashes = ":\\\\".repeat(100_000);
  expect(redactUrlSecrets(slashes)).toBe(slashes);
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
