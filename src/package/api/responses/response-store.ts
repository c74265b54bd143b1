/** Stores responses with their inputs, for `previous_response_id`, `retrieve` and references to their items. */

import { isRecord } from "../../../core/base/record.ts";
import { ApiError, invalidRequestError } from "../api-error.ts";
import { BodyFields } from "../body-fields.ts";
import type { EngineStore } from "../store/engine-store.ts";
import { decodeText, encodeJson, readEntry } from "../store/stored-json.ts";
import { readInput } from "./read-input.ts";
import type { ModelResponse, ResponseItem, ResponseItemList } from "./response-types.ts";

/** The store for responses. */
export interface ResponseSaveOptions {
  readonly store: EngineStore;
  /** Called with a sentence if a response was not saved. */
  readonly onNotice: (notice: string) => void;
}

interface Stored {
  /** The response as it was sent to the client. */
  readonly response: ModelResponse;
  /** The items of the response, checked. */
  readonly output: readonly ResponseItem[];
  /** The input of this request only. */
  readonly input: readonly ResponseItem[];
}

/** The earlier responses that a request mentions, read from the store before the request is read. */
export interface EarlierResponses {
  /** An item of any stored response. */
  item(id: string): ResponseItem | undefined;
  /** The items of a conversation up to and including this response, oldest first. @throws ApiError, 400 */
  conversation(id: string): readonly ResponseItem[];
}

export class ResponseStore {
  readonly #store: EngineStore;

  constructor(store: EngineStore) {
    this.#store = store;
  }

  /** @throws ApiError, 503 */
  add(response: ModelResponse, input: readonly ResponseItem[]): Promise<void> {
    // Responses are stored as JSON text: a parsed response of many small values takes twenty times the memory.
    return this.#store.set("response", response.id, encodeJson({ response, input }));
  }

  /** @throws ApiError, 404 */
  async get(id: string): Promise<ModelResponse> {
    return (await this.#find(id)).response;
  }

  /** @throws ApiError, 404 */
  async delete(id: string): Promise<void> {
    if (!(await this.#store.delete("response", id))) throw notFound(id);
  }

  /** Reads the responses that a request mentions. @param body the unchecked body of a request @throws ApiError, 500 or 503 */
  async earlierOf(body: unknown): Promise<EarlierResponses> {
    const { previous_response_id: previous, input } = isRecord(body) ? body : {};
    const references = Array.isArray(input) ? input.filter(isRecord).map(({ id }) => id) : [];
    const items = await this.#items(references.filter((id) => typeof id === "string"));
    const turns = typeof previous === "string" ? await this.#turns(previous) : [];
    return {
      item: (id) => items.get(id),
      conversation(id) {
        const missing = turns.length === 0 ? id : (turns[0]?.response.previous_response_id ?? null);
        if (missing !== null) throw notStored(id, missing);
        return turns.flatMap(({ output, input }) => [...input, ...output]);
      },
    };
  }

  /** @param query the query of the address @throws ApiError, 404 or 400 */
  async inputItems(id: string, query: Readonly<Record<string, unknown>>): Promise<ResponseItemList> {
    const { input } = await this.#find(id);
    const fields = new BodyFields(query);
    const limit = fields.number("limit", { min: 1, max: 100, isWhole: true }) ?? 20;
    const order = fields.oneOf("order", ["asc", "desc"]) ?? "desc";
    const after = fields.text("after");
    fields.take("include");
    fields.refuseOthers();
    const items = order === "asc" ? input : input.toReversed();
    const place = after === undefined ? -1 : items.findIndex((item) => item.id === after);
    if (after !== undefined && place < 0) {
      throw fields.refusal("after", after, "give the id of an item in this list, or leave it out");
    }
    const data = items.slice(place + 1, place + 1 + limit);
    return {
      object: "list",
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: place + 1 + limit < items.length,
    };
  }

  async #find(id: string): Promise<Stored> {
    const found = await this.#read(id);
    if (found) return found;
    throw notFound(id);
  }

  #read(id: string): Promise<Stored | null> {
    return readEntry(this.#store, ["response", id], (bytes) => readStored(decodeText(bytes), id));
  }

  /**
   * The turns of a conversation, oldest first. If an earlier turn is not stored, the result begins after it, and its first
   * turn mentions its id.
   */
  async #turns(id: string): Promise<readonly Stored[]> {
    const turns: Stored[] = [];
    const seen = new Set<string>();
    for (let at: string | null = id; at !== null && !seen.has(at); ) {
      const turn: Stored | null = await this.#read(at);
      if (!turn) break;
      seen.add(at);
      turns.unshift(turn);
      at = turn.response.previous_response_id;
    }
    // Touched oldest first, so that the newest turn is dropped last.
    for (const { response } of turns) await this.#store.touch("response", response.id);
    return turns;
  }

  /** The items with these ids, from all stored responses. */
  async #items(ids: readonly string[]): Promise<ReadonlyMap<string, ResponseItem>> {
    const found = new Map<string, ResponseItem>();
    const wanted = new Set(ids);
    if (wanted.size === 0) return found;
    for (const id of (await this.#store.list("response")).toReversed()) {
      const stored = await this.#read(id);
      for (const item of stored ? [...stored.output, ...stored.input] : [])
        if (wanted.delete(item.id)) found.set(item.id, item);
      if (wanted.size === 0) break;
    }
    return found;
  }
}

/** @throws Error if no engine wrote this text */
function readStored(text: string, id: string): Stored {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || !isRecord(value.response)) throw new TypeError("It has no response.");
  const { response, input } = value;
  if (response.id !== id) throw new TypeError("It contains another response.");
  const previous = response.previous_response_id;
  if (previous !== null && typeof previous !== "string")
    throw new TypeError("Its previous_response_id is not a string.");
  return {
    response: response as unknown as ModelResponse,
    output: readItems(response.output),
    input: readItems(input),
  };
}

/** Items of a response. Each is checked like the items that clients send. */
function readItems(value: unknown): readonly ResponseItem[] {
  if (Array.isArray(value) && value.length === 0) return [];
  const missing = (): never => {
    throw new TypeError("An item has no id.");
  };
  return readInput(new BodyFields({ input: value }), { stored: () => undefined, newId: missing });
}

function notFound(id: string): ApiError {
  return new ApiError(
    `There is no response "${id}": it never existed, was made with store: false, was deleted, or was removed to make room for newer responses.`,
    { status: 404, type: "not_found_error", code: "response_not_found" },
  );
}

function notStored(id: string, missing: string): ApiError {
  const conversation = id === missing ? "" : `, whose conversation includes "${missing}"`;
  return invalidRequestError(
    `previous_response_id is "${id}"${conversation}, but the response "${missing}" is not stored here: it was made with store: false, was deleted, was removed to make room for newer responses, or was made before this engine started. Send the whole conversation as input.`,
    "previous_response_id",
    "previous_response_not_found",
  );
}
