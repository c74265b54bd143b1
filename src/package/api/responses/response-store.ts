/** Responses that are kept in memory, for `previous_response_id`, `retrieve` and references to their items. */
import { ApiError, invalidRequest } from "../api-error.ts";
import { BodyFields } from "../body-fields.ts";
import type { ModelResponse, ResponseItem, ResponseItemList } from "./response-types.ts";

/** As JSON: parsed, a response of many small values takes twenty times the memory of its text. */
interface Stored {
  readonly id: string;
  readonly previous: string | null;
  readonly response: string;
  /** The input of this request alone. */
  readonly input: string;
}

const responseOf = ({ response }: Stored) => JSON.parse(response) as ModelResponse;
const inputOf = ({ input }: Stored) => JSON.parse(input) as readonly ResponseItem[];
/** A character of a text takes two bytes at most. */
const bytesOf = ({ response, input }: Stored) => 2 * (response.length + input.length);

export interface StoreLimits {
  /** Responses. */
  readonly count: number;
  readonly bytes: number;
}

/** Holds the last responses within both limits. The least recently used response is dropped first. */
export class ResponseStore {
  readonly #limits: StoreLimits;
  /** By their ids, in the order of their last use, the newest last. */
  readonly #stored = new Map<string, Stored>();
  #bytes = 0;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  add(response: ModelResponse, input: readonly ResponseItem[]): void {
    const { id, previous_response_id: previous } = response;
    const stored = { id, previous, response: JSON.stringify(response), input: JSON.stringify(input) };
    this.#stored.set(id, stored);
    this.#bytes += bytesOf(stored);
    for (const id of this.#stored.keys()) {
      if (this.#stored.size <= this.#limits.count && this.#bytes <= this.#limits.bytes) break;
      this.#drop(id);
    }
  }

  /** @throws ApiError, 404 */
  get(id: string): ModelResponse {
    return responseOf(this.#find(id));
  }

  /** @throws ApiError, 404 */
  delete(id: string): void {
    this.#find(id);
    this.#drop(id);
  }

  /** An item of any stored response. */
  item(id: string): ResponseItem | undefined {
    const written = JSON.stringify(id);
    for (const stored of this.#stored.values()) {
      if (!stored.response.includes(written) && !stored.input.includes(written)) continue;
      const found = [...responseOf(stored).output, ...inputOf(stored)].find((item) => item.id === id);
      if (found) return found;
    }
    return undefined;
  }

  /** The items of a conversation up to and with this response, oldest first. @throws ApiError, 400 */
  conversation(id: string): readonly ResponseItem[] {
    const turns: Stored[] = [];
    for (let at: string | null = id; at !== null; at = turns.at(-1)?.previous ?? null) {
      const turn = this.#stored.get(at);
      if (!turn) throw notStored(id, at);
      turns.push(turn);
    }
    // Oldest first, so that the newest is dropped last.
    turns.reverse();
    for (const turn of turns) this.#touch(turn);
    return turns.flatMap((turn) => [...inputOf(turn), ...responseOf(turn).output]);
  }

  /** @param query of the address. @throws ApiError, 404 or 400 */
  inputItems(id: string, query: Readonly<Record<string, unknown>>): ResponseItemList {
    const input = inputOf(this.#find(id));
    const fields = new BodyFields(query);
    const limit = fields.number("limit", { min: 1, max: 100, isWhole: true }) ?? 20;
    const order = fields.oneOf("order", ["asc", "desc"]) ?? "desc";
    const after = fields.text("after");
    fields.take("include");
    fields.refuseOthers();
    const items = order === "asc" ? input : input.toReversed();
    const place = after === undefined ? -1 : items.findIndex((item) => item.id === after);
    if (after !== undefined && place < 0) {
      throw fields.refusal("after", after, "give the id of an item of this list, or leave it out");
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

  #find(id: string): Stored {
    const found = this.#stored.get(id);
    if (found) return found;
    throw new ApiError(
      `There is no response "${id}": it never existed, was made with store: false, was deleted, or is not among the last ${this.#limits.count} that are in memory.`,
      { status: 404, type: "not_found_error", code: "response_not_found" },
    );
  }

  #touch(turn: Stored): void {
    this.#stored.delete(turn.id);
    this.#stored.set(turn.id, turn);
  }

  #drop(id: string): void {
    const stored = this.#stored.get(id);
    if (stored) this.#bytes -= bytesOf(stored);
    this.#stored.delete(id);
  }
}

function notStored(id: string, missing: string): ApiError {
  const which = id === missing ? `"${id}"` : `"${id}", whose conversation has "${missing}",`;
  return invalidRequest(
    `previous_response_id is ${which} and that response is not stored here: it was made with store: false, deleted, dropped for newer ones, or before the engine was started. Send the whole conversation as input.`,
    "previous_response_id",
    "previous_response_not_found",
  );
}
