/**
 * A server that runs a model (llama.cpp, vLLM or SGLang): its address, its key, and requests whose failures become
 * sentences.
 */
import { hostInMessages } from "../../core/base/invalid-address.ts";
import { isRecord } from "../../core/base/record.ts";
import { anyModelServer } from "./engine-name.ts";
import { dataText, type EventData, EventStream } from "./event-stream.ts";
import type { ExchangeReply, ExchangeRequest, HttpExchange } from "./exchange.ts";
import { withIdleLimit } from "./idle-limit.ts";
import { checkAddress, quotedMessage, RemoteEngineError } from "./remote-error.ts";

/** Where a model runs, and the key that its server asks for. */
export interface RemoteAccess {
  /** `http://127.0.0.1:9931`; a path before the server's own is kept. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Addresses of more servers that run the same model with the same settings and the same key. */
  readonly replicas?: readonly string[] | undefined;
  /** How many of the most likely tokens each step asks for. Unless given: all for a vocabulary of at most 8,192 tokens, and 64 for a larger one. */
  readonly listed?: number | undefined;
  /**
   * False: each step is a request of its own. Unless given, the server streams its most likely tokens, which saves a request for
   * each of them that the mods and the draw leave. For models whose cache cannot be cut back, and proxies that hold streams back.
   */
  readonly stream?: boolean | undefined;
  /**
   * False: the server draws no token with its own random numbers, so that each token follows from the seed. A draw that needs
   * more tokens than the server lists then ends the request with an error. Unless given, the server draws among such tokens, and
   * llama.cpp's server draws each token of a request whose seed nobody chose, so that its streams need not be cut.
   * `"always"`: llama.cpp's server draws each token of every request with a temperature.
   */
  readonly serverDraws?: boolean | "always" | undefined;
  /** True accepts a llama.cpp server with a RAM cache of prompts, which may put text of one conversation into another. */
  readonly acceptRamCache?: boolean | undefined;
  /** Sent with each request to vLLM and SGLang, which order waiting requests by it if they are started with priority scheduling. */
  readonly priority?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Most bytes of the answer; 1 MB unless given. */
  readonly maxBytes?: number | undefined;
}

export interface PostOptions extends CallOptions {
  /** Reads the answer; `JSON.parse` unless given. @throws SyntaxError for what is not JSON */
  readonly parse?: (text: string) => unknown;
}

export interface StreamOptions extends CallOptions {
  /** Called with the data of each event. */
  readonly onEvent: (data: EventData) => void;
}

type Message = Pick<ExchangeRequest, "method" | "body" | "onPiece">;

const defaultMaxBytes = 1_000_000;

/** The field of the JSON that tells an error; within a string its quotes would be escaped. */
const errorField = /"error"\s*:/;

export class ServerConnection {
  /** The kind of server that should answer, for messages. `fetchServedModel` notes the program that it finds. */
  expected: string;
  /** The address without secrets, for messages. */
  readonly origin: string;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #exchange: HttpExchange;
  readonly #key: string | undefined;

  /** @throws RemoteEngineError for an address or a key that cannot be used. */
  constructor({ url, key }: RemoteAccess, exchange: HttpExchange, expected: string = anyModelServer) {
    this.expected = expected;
    this.#base = serverAddress(url);
    this.origin = new URL(this.#base).origin;
    this.#key = key;
    this.#exchange = withIdleLimit(exchange);
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
      throw new RemoteEngineError(
        "key",
        "The server's key contains a space, a line break or another character that an HTTP header cannot carry. Give only the key.",
      );
    this.#headers = {
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
  }

  /** @throws RemoteEngineError, or the signal's reason. */
  get(path: string, options: CallOptions = {}): Promise<unknown> {
    return this.#call(path, { method: "GET" }, options);
  }

  /** @throws RemoteEngineError, or the signal's reason. */
  post(path: string, body: object, options: PostOptions = {}): Promise<unknown> {
    return this.#call(path, { method: "POST", body: JSON.stringify(body) }, options);
  }

  /** Resolves when the server has ended the stream. @throws RemoteEngineError, or the signal's reason. */
  async stream(path: string, body: object, { onEvent, ...options }: StreamOptions): Promise<void> {
    const events = new EventStream((data) => onEvent(this.#quotableData(data)));
    const onPiece = (piece: string): void => events.push(piece);
    await this.#send(path, { method: "POST", body: JSON.stringify(body), onPiece }, options);
  }

  async #send(path: string, message: Message, options: CallOptions): Promise<ExchangeReply> {
    const { signal, maxBytes = defaultMaxBytes } = options;
    const { expected } = this;
    const url = this.#base + path;
    const reply = await this.#exchange({
      ...message,
      url,
      headers: this.#headers,
      signal,
      maxBytes,
      expected,
    });
    const said = { status: reply.status, text: this.#quotable(reply.text) };
    if (said.status !== 200) throw this.#refusal(path, said);
    return said;
  }

  /**
   * The text without the key if it tells an error: a server may repeat the headers of a request there, and clients and traces then
   * quote the error. Answers stay as they are: a key such as "none" also occurs in ordinary texts.
   */
  #quotable(text: string): string {
    return this.#key !== undefined && errorField.test(text) ? text.replaceAll(this.#key, "[key]") : text;
  }

  #quotableData(data: EventData): EventData {
    if (this.#key === undefined) return data;
    const text = dataText(data);
    const quotable = this.#quotable(text);
    return quotable === text ? data : { text: quotable, from: 0, to: quotable.length };
  }

  async #call(
    path: string,
    message: Message,
    { parse = JSON.parse, ...options }: PostOptions,
  ): Promise<unknown> {
    const reply = await this.#send(path, message, options);
    try {
      return parse(reply.text);
    } catch (cause) {
      throw new RemoteEngineError(
        "json",
        `The response from ${this.origin} to ${path} is not JSON. ${checkAddress(this.expected)}`,
        cause,
      );
    }
  }

  #refusal(path: string, { status, text }: ExchangeReply): RemoteEngineError {
    const { origin } = this;
    const said = quoted(text);
    if (status >= 300 && status < 400)
      return new RemoteEngineError(
        "redirect",
        `${origin} redirects ${path} to another address. Enter the other address yourself: Midtoken sends the key only to addresses that you enter.`,
      );
    if (status === 401 || status === 403)
      return new RemoteEngineError(
        "key",
        `${origin} refuses the key (${status}). Give the key that the server was started with.`,
      );
    if (status === 429)
      return new RemoteEngineError(
        "busy",
        `${origin} is receiving too many requests (429)${said}. Wait, then run again.`,
      );
    if (status === 503)
      return new RemoteEngineError(
        "loading",
        `${origin} is not ready (503)${said}. Wait until it has loaded its model, then run again.`,
      );
    if (status === 404)
      return new RemoteEngineError("refused", `${origin} has no ${path} (404)${said}. Check the address.`);
    if (status >= 500)
      return new RemoteEngineError(
        "server",
        `${origin} failed (${status})${said}. Look at the server's log, then run again.`,
      );
    return new RemoteEngineError("refused", `${origin} refused ${path} (${status})${said}.`);
  }
}

/** The server's reason for its refusal. */
function quoted(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? quotedMessage(body.error) : "";
  } catch {
    // A proxy answers with a page.
    return "";
  }
}

/** The address without slashes at its end. @throws RemoteEngineError for what is no address of a server. */
export function serverAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isHttp = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  if (!parsed || !isHttp)
    throw new RemoteEngineError(
      "address",
      "The server's address must begin with http:// or https://, for example http://127.0.0.1:9931.",
    );
  const host = hostInMessages(parsed.href);
  const hasUser = parsed.username !== "" || parsed.password !== "" || host !== parsed.host;
  if (hasUser || parsed.search !== "" || parsed.hash !== "")
    throw new RemoteEngineError(
      "address",
      `The server's address ${parsed.protocol}//${host} must have no user name, no query and no fragment. Enter the API key in the field or option for the key, not in the address.`,
    );
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
}
