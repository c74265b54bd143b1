/** Which program a server is, by its list of models. */
import { isRecord } from "../../core/base/record.ts";
import type { ServerConnection } from "./connection.ts";
import type { EngineName } from "./dialect.ts";
import { RemoteEngineError } from "./remote-error.ts";

export interface ServedModel {
  readonly kind: EngineName;
  /** The model's name in requests. */
  readonly id: string;
  /** Tokens of a conversation; null if the list does not say. */
  readonly contextLength: number | null;
}

const owners: Readonly<Record<string, EngineName>> = {
  llamacpp: "llama.cpp",
  vllm: "vLLM",
  sglang: "SGLang",
};

/** @throws RemoteEngineError for an answer of another program, or the signal's reason */
export async function servedModel(connection: ServerConnection, signal?: AbortSignal): Promise<ServedModel> {
  const answer = await connection.get("/v1/models", { signal });
  const data: unknown = isRecord(answer) ? answer.data : undefined;
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  if (!isRecord(first)) throw unknownServer(connection, "data[0]", first);
  const { id, owned_by: owner, meta, max_model_len: length } = first;
  const kind = isRecord(meta) ? "llama.cpp" : owners[String(owner)];
  if (kind === undefined) throw unknownServer(connection, "data[0].owned_by", owner);
  return {
    kind,
    id: typeof id === "string" ? id : "",
    contextLength: Number.isSafeInteger(length) && (length as number) > 1 ? (length as number) : null,
  };
}

function unknownServer({ origin }: ServerConnection, field: string, found: unknown): RemoteEngineError {
  const shown = found === undefined ? "missing" : JSON.stringify(found).slice(0, 60);
  return new RemoteEngineError(
    "shape",
    `The server at ${origin} is none that Midtoken knows: in its answer to /v1/models, ${field} is ${shown}. Give the address of a llama.cpp, vLLM or SGLang server. Hosted services give no token ids, so mods cannot work on them.`,
  );
}
