/** Requests to a model's server over connections that stay open: `fetch` of Node takes five times the processor time. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { StringDecoder } from "node:string_decoder";
import { setTimeout } from "node:timers/promises";
import {
  brokenResponseError,
  type ExchangeReply,
  type ExchangeRequest,
  type HttpExchange,
  tooLargeResponseError,
  unreachableError,
} from "../../runtime/remote/exchange.ts";
import type { RemoteEngineError } from "../../runtime/remote/remote-error.ts";

/** The server closed the connection before it answered. */
class ClosedConnection extends Error {}

const closedCodes = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Milliseconds before the request is sent again over a new connection. A server closes connections that are idle or served many
 * requests. A server with a short list of waiting connections also resets new ones: llama.cpp's does if hundreds come at once.
 */
const waitsMs = [0, 50, 200, 800];

/** An exchange with its own connections, which end with the process or when they are idle. Sends a request again if its connection was closed before an answer began. */
export function createHttpExchange(): HttpExchange {
  const agents = {
    "http:": new HttpAgent({ keepAlive: true }),
    "https:": new HttpsAgent({ keepAlive: true }),
  };
  return async (request) => {
    const { protocol } = new URL(request.url);
    const agent = protocol === "https:" ? agents["https:"] : agents["http:"];
    let reply = await sendOnce(request, agent).catch(closedOnly);
    for (const ms of waitsMs) {
      if (!(reply instanceof ClosedConnection)) return reply;
      await setTimeout(ms, undefined, { signal: request.signal }).catch(() =>
        request.signal?.throwIfAborted(),
      );
      const again = { ...request, headers: { ...request.headers, connection: "close" } };
      reply = await sendOnce(again, undefined).catch(closedOnly);
    }
    if (reply instanceof ClosedConnection) throw unreachableError(request.url, reply.cause);
    return reply;
  };
}

/** @throws every other error */
function closedOnly(error: unknown): ClosedConnection {
  if (error instanceof ClosedConnection) return error;
  throw error;
}

function sendOnce(
  { method, url, headers, body, onPiece, signal, ...bounds }: ExchangeRequest,
  agent: HttpAgent | undefined,
): Promise<ExchangeReply> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const start = url.startsWith("https:") ? httpsRequest : httpRequest;
    const length = body === undefined ? {} : { "content-length": `${Buffer.byteLength(body)}` };
    const sent = start(url, { method, headers: { ...headers, ...length }, agent: agent ?? false });
    const abort = (): void => {
      sent.destroy();
      reject(signal?.reason);
    };
    const done = (): void => signal?.removeEventListener("abort", abort);
    const fail = (error: Error): void => {
      done();
      reject(error);
    };
    signal?.addEventListener("abort", abort, { once: true });
    let hasResponse = false;
    sent.setNoDelay(true);
    // A second error without a listener would end the process.
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isClosed = !hasResponse && closedCodes.has(error.code ?? "");
      fail(
        isClosed
          ? new ClosedConnection("The connection was closed.", { cause: error })
          : unreachableError(url, error),
      );
    });
    sent.once("response", (response) => {
      hasResponse = true;
      const pieces = response.statusCode === 200 ? onPiece : undefined;
      readBounded(response, url, { ...bounds, onPiece: pieces }).then(
        (text) => {
          done();
          resolve({ status: response.statusCode ?? 0, text });
        },
        (error: RemoteEngineError) => {
          sent.destroy();
          fail(error);
        },
      );
    });
    sent.end(body);
  });
}

/** The text that `onPiece` did not take. @throws RemoteEngineError if the answer is too long or ends early. */
function readBounded(
  response: IncomingMessage,
  url: string,
  { onPiece, ...bounds }: Pick<ExchangeRequest, "maxBytes" | "onPiece" | "expected">,
): Promise<string> {
  return new Promise((resolve, reject) => {
    // Takes a third of the time of a TextDecoder.
    const decoder = new StringDecoder("utf8");
    const pieces: Buffer[] = [];
    let bytes = 0;
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > bounds.maxBytes) return reject(tooLargeResponseError(url, bounds));
      if (onPiece) onPiece(decoder.write(piece));
      else pieces.push(piece);
    });
    response.once("end", () => resolve(Buffer.concat(pieces).toString("utf8")));
    response.on("error", (error) => reject(brokenResponseError(url, error)));
    response.once("close", () => {
      if (!response.complete) reject(brokenResponseError(url, null));
    });
  });
}
