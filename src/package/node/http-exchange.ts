/** Requests to a model's server over connections that stay open: `fetch` of Node takes five times the processor time. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import {
  broken,
  type Exchange,
  type ExchangeReply,
  type ExchangeRequest,
  tooLarge,
  unreachable,
} from "../../runtime/remote/exchange.ts";
import type { RemoteEngineError } from "../../runtime/remote/remote-error.ts";

/** A server closes connections that are idle or served many requests: the request is then sent again over a new one. */
class ClosedConnection extends Error {}

const closedCodes = new Set(["ECONNRESET", "EPIPE"]);

/** An exchange with its own connections, which end with the process or when they are idle. */
export function httpExchange(): Exchange {
  const agents = {
    "http:": new HttpAgent({ keepAlive: true }),
    "https:": new HttpsAgent({ keepAlive: true }),
  };
  return async (request) => {
    const { protocol } = new URL(request.url);
    const agent = protocol === "https:" ? agents["https:"] : agents["http:"];
    try {
      return await sendOnce(request, agent);
    } catch (error) {
      if (!(error instanceof ClosedConnection)) throw error;
      return sendOnce({ ...request, headers: { ...request.headers, connection: "close" } }, undefined);
    }
  };
}

function sendOnce(
  { method, url, headers, body, onPiece, signal, maxBytes }: ExchangeRequest,
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
    sent.setNoDelay(true);
    // A second error without a listener would end the process.
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isClosed = sent.reusedSocket && closedCodes.has(error.code ?? "");
      fail(isClosed ? new ClosedConnection() : unreachable(url, error));
    });
    sent.once("response", (response) => {
      const pieces = response.statusCode === 200 ? onPiece : undefined;
      readBounded(response, url, { maxBytes, onPiece: pieces }).then(
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
  { maxBytes, onPiece }: Pick<ExchangeRequest, "maxBytes" | "onPiece">,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    const pieces: Buffer[] = [];
    let bytes = 0;
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes) return reject(tooLarge(url, maxBytes));
      if (onPiece) onPiece(decoder.decode(piece, { stream: true }));
      else pieces.push(piece);
    });
    response.once("end", () => resolve(Buffer.concat(pieces).toString("utf8")));
    response.on("error", (error) => reject(broken(url, error)));
    response.once("close", () => {
      if (!response.complete) reject(broken(url, null));
    });
  });
}
