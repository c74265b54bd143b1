/** Fetches a timeline's file from a real server that does everything wrong that a server can do. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { traceLimits } from "../../core/trace/format/limits.ts";
import { TraceError } from "../../core/trace/format/trace-error.ts";
import { fetchTraceFile } from "./fetch-trace-file.ts";
import { TimelineError } from "./timeline-error.ts";

let close = () => {};
afterEach(() => close());

async function serve(answer: RequestListener): Promise<URL> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/run.trace`);
}

function read(address: URL, signal = new AbortController().signal) {
  const shares: number[] = [];
  return fetchTraceFile(address, { signal, onShare: (share) => shares.push(share) }).then((bytes) => ({
    bytes,
    shares,
  }));
}

test("gives the bytes, and says how much has come", async () => {
  const body = new Uint8Array(300_000).map((_, place) => place % 251);
  const { bytes, shares } = await read(
    await serve((_, response) => response.setHeader("content-length", body.length).end(body)),
  );
  expect(Buffer.compare(bytes, body)).toBe(0);
  expect(shares.at(-1)).toBe(1);
});

test("an answer that is no file says the status and the advice", async () => {
  const address = await serve((_, response) => response.writeHead(404).end());
  await expect(read(address)).rejects.toThrow(
    new TimelineError(
      `The server answered 404 for ${address.href}. Check the address: it should lead to a .trace file, or be a permalink with its part after the #.`,
    ),
  );
});

test("no message has what is secret in an address", async () => {
  const address = await serve((_, response) => response.writeHead(403).end());
  const withPassword = new URL(address);
  withPassword.username = "user";
  withPassword.password = "hunter2";
  const withKey = new URL("?key=hunter2&part=1", address);
  for (const [asked, words] of [
    [withPassword, /http:\/\/…@127.0.0.1:\d+\/run.trace has a user name or a password/],
    [withKey, /answered 403 for .*run.trace\?key=…&part=…\./],
  ] as const) {
    const refused = await read(asked).catch((cause: unknown) => cause);
    expect(refused).toBeInstanceOf(TimelineError);
    expect(String(refused)).toMatch(words);
    expect(String(refused)).not.toMatch(/hunter2|user:/);
    expect((refused as TimelineError).cause).toBeUndefined();
  }
  close();
  const gone = await read(withKey).catch((cause: unknown) => cause);
  expect(String(gone)).not.toContain("hunter2");
});

test("a server that is not there says what this page and that server have to allow", async () => {
  const address = await serve(() => {});
  close();
  await expect(read(address)).rejects.toThrow(
    /could not be fetched: .+Access-Control-Allow-Origin.+connect-src/,
  );
});

test("more bytes than are opened are refused before they come", async () => {
  let wasLeft: Promise<unknown> = Promise.resolve();
  const address = await serve((request, response) => {
    wasLeft = new Promise((resolve) => request.on("close", resolve));
    response.writeHead(200, { "content-length": traceLimits.fileBytes + 1 }).write("MTK");
  });
  await expect(read(address)).rejects.toThrow(TraceError);
  await wasLeft;
});

test("a server that says nothing of the length is left once it has sent too much", async () => {
  const piece = new Uint8Array(4 * 1_048_576).fill(7);
  let sent = 0;
  let wasLeft: Promise<unknown> = Promise.resolve();
  const address = await serve((request, response) => {
    wasLeft = new Promise((resolve) => request.on("close", resolve));
    const more = () => {
      while (!response.destroyed) {
        sent += piece.length;
        if (!response.write(piece)) return response.once("drain", more);
      }
    };
    more();
  });
  await expect(read(address)).rejects.toThrow(/the limit is/);
  await wasLeft;
  expect(sent).toBeLessThan(3 * traceLimits.fileBytes);
});

test("a file that is cut off is no file", async () => {
  const address = await serve((_, response) => {
    response.writeHead(200, { "content-length": 1000 });
    response.write("x".repeat(100), () => response.destroy());
  });
  await expect(read(address)).rejects.toThrow(/cut off after \d+ bytes.+Try again/);
});

test("what is no longer wanted is left, with the reason that was given", async () => {
  let wasLeft: Promise<unknown> = Promise.resolve();
  const stop = new AbortController();
  const reason = new Error("The element was removed.");
  const address = await serve((request, response) => {
    wasLeft = new Promise((resolve) => request.on("close", resolve));
    response.writeHead(200, { "content-length": 1000 });
    response.write("x", () => stop.abort(reason));
  });
  await expect(read(address, stop.signal)).rejects.toBe(reason);
  await wasLeft;
});
