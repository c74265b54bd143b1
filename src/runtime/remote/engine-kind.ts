/** Which program a server is, by its list of models. */
import { isRecord } from "../../core/base/record.ts";
import type { ServerConnection } from "./connection.ts";
import { anyModelServer, type EngineName, serverOf } from "./engine-name.ts";
import { isCount, serverResponseLimits } from "./parse-responses.ts";
import { RemoteEngineError, shownValue } from "./remote-error.ts";

export interface ServedModel {
  readonly kind: EngineName;
  /** The model's name in requests. */
  readonly id: string;
  /** Tokens of a conversation; null if the list does not say, or names an impossible number. */
  readonly contextLength: number | null;
}

const owners: ReadonlyMap<unknown, EngineName> = new Map([
  ["llamacpp", "llama.cpp"],
  ["vllm", "vLLM"],
  ["sglang", "SGLang"],
]);

/** Messages of the connection name the program from then on. @throws RemoteEngineError for an answer of another program, or the signal's reason */
export async function fetchServedModel(
  connection: ServerConnection,
  signal?: AbortSignal,
): Promise<ServedModel> {
  const answer = await connection.get("/v1/models", { signal });
  const data: unknown = isRecord(answer) ? answer.data : undefined;
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  if (!isRecord(first)) throw unknownServer(connection, "data[0]", first);
  const { id, owned_by: owner, meta, max_model_len: length } = first;
  const kind = isRecord(meta) ? "llama.cpp" : owners.get(owner);
  if (kind === undefined) throw unknownServer(connection, "data[0].owned_by", owner);
  connection.expected = serverOf[kind];
  return {
    kind,
    id: typeof id === "string" ? id : "",
    contextLength: isCount(length) && length > 1 && length <= serverResponseLimits.context ? length : null,
  };
}

function unknownServer({ origin }: ServerConnection, field: string, found: unknown): RemoteEngineError {
  return new RemoteEngineError(
    "shape",
    `The server at ${origin} is not ${anyModelServer}: in its response to /v1/models, ${field} is ${shownValue(found)}. Give the address of such a server. Mods cannot work with a hosted service, because it returns no token ids; use \`midtoken watch\` to save a timeline of its output.`,
  );
}
