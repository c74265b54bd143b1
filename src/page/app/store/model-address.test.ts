import { expect, test } from "vitest";
import { parseModelReference } from "./model-address.ts";

const base = "http://localhost:8000/play/";

test.each([
  ["owner/name", "owner/name", "https://huggingface.co/owner/name/resolve/main/", "main"],
  ["owner/name@v2", "owner/name", "https://huggingface.co/owner/name/resolve/v2/", "v2"],
  [
    "https://huggingface.co/owner/na-me.1/",
    "owner/na-me.1",
    "https://huggingface.co/owner/na-me.1/resolve/main/",
    "main",
  ],
  ["https://huggingface.co/o/n/tree/dev", "o/n", "https://huggingface.co/o/n/resolve/dev/", "dev"],
  ["http://127.0.0.1:9000/m/tiny", "tiny", "http://127.0.0.1:9000/m/tiny/", null],
  ["http://127.0.0.1:9000/m/tiny/config.json?x#y", "tiny", "http://127.0.0.1:9000/m/tiny/", null],
  [
    "http://127.0.0.1:9/o/n/resolve/refs%2Fpr%2F1",
    "o/n",
    "http://127.0.0.1:9/o/n/resolve/refs%2Fpr%2F1/",
    "refs/pr/1",
  ],
  ["./models/tiny/", "tiny", "http://localhost:8000/play/models/tiny/", null],
])("%s", (text, id, url, revision) => {
  expect(parseModelReference(text, base)).toMatchObject({ id, url, revision });
});

test.each(["name", "ftp://host/model", "javascript:alert(1)"])("%s is refused", (text) => {
  expect(parseModelReference(text, base)).toContain("neither");
});

test.each(["https://user:geh#eim@h:99999/x", "https://user:geh/eim@h/x", "ftp://user:geheim@h"])(
  "%s is refused without its password",
  (text) => {
    expect(parseModelReference(text, base)).toMatch(/^“…@h/);
    expect(parseModelReference(text, base)).not.toMatch(/geh|eim/);
  },
);
