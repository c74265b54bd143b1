/** What strangers may send to the local server: nothing outside its folders comes back, nothing of a model's folder can run. */
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RawResponse, rawExchange } from "../src/package/node/testing/raw-exchange.ts";
import { listModels } from "./list-models.ts";
import { createStaticServer, serverLimits } from "./static-server.ts";
import { makeHostileFolders, secret } from "./testing/hostile-folders.ts";
import { type HostileRequest, hostileRequests } from "./testing/hostile-requests.ts";

const { page, models } = makeHostileFolders();
const folders = {
  pages: { "/": page },
  models: { "/models/": models },
  json: { "/models.json": () => listModels(models) },
  host: "midtoken.test",
};
/** Gives every client as long as the real server does: a busy machine may need this time to answer. */
const server = createStaticServer(folders, serverLimits);
/** Sends a slow client away at once. */
const impatient = createStaticServer(folders, {
  ...serverLimits,
  headers: 300,
  request: 400,
  silence: 500,
  check: 50,
});
const servers = [server, impatient];
const portOf = (of: Server) => (of.address() as AddressInfo).port;

beforeAll(async () => {
  for (const each of servers) await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  for (const each of servers) {
    each.closeAllConnections();
    each.close();
  }
});

/** Sends the bytes and reads until the server closes the connection. */
function exchange(
  bytes: string,
  to: Server = server,
  onOpen?: (socket: Socket) => void,
): Promise<RawResponse> {
  return rawExchange("127.0.0.1", portOf(to), Buffer.from(bytes, "latin1"), onOpen);
}

/** What is wrong with an answer, whatever was asked. */
function faults({ all, status, headers }: RawResponse, request: HostileRequest): string[] {
  const found: string[] = [];
  if (all.includes(secret)) found.push("it holds a secret");
  if (all.toLowerCase().includes("x-injected")) found.push("it holds an injected header");
  if (headers["access-control-allow-origin"] !== undefined) found.push("other origins may read it");
  if (headers.location !== undefined && !/^\/[^/\\]/.test(headers.location))
    found.push(`it leads to ${headers.location}`);
  // Node's own answers, to what is no HTTP, have no content.
  const isOurs = headers["x-content-type-options"] !== undefined;
  if (!isOurs && all.split("\r\n\r\n")[1] !== "") found.push("its type may be guessed");
  if (isOurs && headers["cross-origin-resource-policy"] !== "same-origin")
    found.push("other pages may load it");
  if (isOurs && headers["x-frame-options"] !== "DENY") found.push("it may be framed");
  const isPage = headers["content-type"]?.startsWith("text/html") && !request.bytes.includes("models");
  const isData = headers["content-security-policy"]?.startsWith("sandbox; default-src 'none'");
  if (isPage && !headers["content-security-policy"]?.includes("frame-ancestors 'none'"))
    found.push("the page has no policy");
  if (!isOurs || isPage || /^GET \/(assets|empty)/.test(request.bytes)) return found;
  if (!isData) found.push("it has no policy");
  const type = headers["content-type"] ?? "";
  if (status < 300 && !/^application\/(octet-stream|json)\b/.test(type)) found.push(`it is ${type}`);
  if (status < 300 && request.bytes.includes("/models/") && headers["content-disposition"] !== "attachment")
    found.push("it may be shown");
  return found;
}

describe("a request", () => {
  test.each(hostileRequests)("$name: $status", async (request) => {
    const answer = await exchange(request.bytes);
    expect({ status: answer.status, faults: faults(answer, request) }).toEqual({
      status: request.status,
      faults: [],
    });
  });

  test("there are two hundred and more of them", () => {
    expect(hostileRequests.length).toBeGreaterThanOrEqual(200);
    expect(new Set(hostileRequests.map(({ bytes }) => bytes)).size).toBe(hostileRequests.length);
  });
});

describe("a slow client", () => {
  const half = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n";

  test("that never ends its request is sent away, and others are answered meanwhile", async () => {
    const slow = Array.from({ length: 40 }, () => exchange(half, impatient));
    expect((await exchange(`${half}Connection: close\r\n\r\n`, impatient)).body).toBe("<p>home</p>");
    expect(new Set((await Promise.all(slow)).map(({ status }) => status))).toEqual(new Set([408]));
  });

  test("that sends its request byte by byte is sent away", async () => {
    let timer: NodeJS.Timeout | undefined;
    const answer = await exchange(half, impatient, (socket) => {
      timer = setInterval(() => socket.write("X"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect(answer.status).toBe(408);
  });

  test("that says nothing at all is sent away", async () => {
    expect((await exchange("", impatient)).status).toBe(408);
  });

  test("that does not read what it asked for is sent away", async () => {
    const ended = new Promise<void>((resolve) => {
      impatient.once("connection", (socket) => socket.once("close", resolve));
    });
    const socket = connect(portOf(impatient), "127.0.0.1");
    socket.pause().write(`${half.replace("/ ", "/models/good/onnx/large.onnx ")}\r\n`);
    await ended;
    socket.destroy();
  });
});

test("each of several requests on one connection is judged", async () => {
  const host = "Host: 127.0.0.1\r\n";
  const { all } = await exchange(
    `GET / HTTP/1.1\r\n${host}\r\nGET /models/evil/index.html HTTP/1.1\r\n${host}\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\nGET /secret.txt HTTP/1.1\r\n${host}\r\n`,
  );
  expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403", "HTTP/1.1 421"]);
  expect(all).not.toContain(secret);
});

test("a client that comes when all connections are taken is let go", async () => {
  const small = createStaticServer({ pages: { "/": page } }, { ...serverLimits, connections: 1 });
  await new Promise<void>((resolve) => small.listen(0, "127.0.0.1", resolve));
  const first = connect((small.address() as AddressInfo).port, "127.0.0.1");
  await new Promise((resolve) => small.once("connection", resolve));
  const second = connect((small.address() as AddressInfo).port, "127.0.0.1");
  await new Promise((resolve) => second.once("close", resolve));
  expect(first.destroyed).toBe(false);
  first.destroy();
  small.close();
});
