/** Bodies are read up to a limit. The rest is not read, and the connection is closed. */
import { expect, test } from "vitest";
import { readBoundedBody, readBoundedJson } from "../../../core/base/bounded-body.ts";
import { fetchHubVersion } from "../storage/hub-version.ts";
import { downloadChunk } from "./download.ts";
import { listOnnxFolder } from "./list-folder.ts";
import { sendLongResponses } from "./testing/long-response.ts";

const address = "https://huggingface.co/owner/model/resolve/main/";

test("as many bytes as the limit says are read, and one more is too many", async () => {
  const body = () => new Response(new Uint8Array([1, 2, 3, 4, 5]));
  expect(await readBoundedBody(body(), 5)).toEqual(new Uint8Array([1, 2, 3, 4, 5]));
  expect(await readBoundedBody(body(), 4)).toBeNull();
  expect(await readBoundedBody(new Response(null), 0)).toEqual(new Uint8Array());
});

test("JSON is read, and what is none or too long is null", async () => {
  expect(await readBoundedJson(new Response('\ufeff{"é": [1]}'), 100)).toEqual({ é: [1] });
  expect(await readBoundedJson(new Response("<p>"), 100)).toBeNull();
  expect(await readBoundedJson(new Response("[1, 2, 3]"), 5)).toBeNull();
});

test("a list of files without end is refused after 4 MB", async () => {
  const { fetch, seen } = sendLongResponses();
  await expect(listOnnxFolder(address, { fetch })).rejects.toThrow(
    "of the files of owner/model cannot be read",
  );
  expect(seen.cancelled).toBe(true);
  expect(seen.sentBytes).toBeLessThan(5_000_000);
});

test("metadata of a model without end count as missing", async () => {
  const { fetch, seen } = sendLongResponses();
  expect(await fetchHubVersion(address, { fetch })).toBeNull();
  expect(seen.cancelled).toBe(true);
  expect(seen.sentBytes).toBeLessThan(17_000_000);
});

test("a part of a file that is longer than was asked for is refused", async () => {
  const { fetch, seen } = sendLongResponses({ status: 206, headers: { "content-range": "bytes 0-99/200" } });
  const options = { file: "onnx/model.onnx", kind: "binary", retryDelayMs: 0, fetch } as const;
  await expect(downloadChunk(`${address}onnx/model.onnx`, 0, 99, options)).rejects.toThrow(
    "Bytes 0 to 99 of onnx/model.onnx could not be fetched separately",
  );
  expect(seen.cancelled).toBe(true);
  expect(seen.sentBytes).toBeLessThan(1_000_000);
});
