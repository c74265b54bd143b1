/**
 * Finds out whether a llama.cpp server has a RAM cache, which `-cram 0` switches off and no answer of the server mentions. With the
 * cache, a text that another text pushed out of its slot comes back without being computed again.
 */
import { isRecord } from "../../core/base/record.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { ServerConnection } from "./connection.ts";
import { isCount, type LlamaServerDescription } from "./parse-responses.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { describeTimeoutMs, withResponseTimeLimit } from "./within-limit.ts";

export interface RamCacheCheck {
  readonly server: Pick<LlamaServerDescription, "vocabularySize" | "contextLength">;
  readonly signal?: AbortSignal | undefined;
}

interface RamCacheRule extends RamCacheCheck {
  /** The user accepts the risk: a notice tells it. */
  readonly isAccepted: boolean;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** llama.cpp's RAM cache can put another conversation's text into a slot, so such a server is refused unless the user accepts it. @throws RemoteEngineError, or the signal's reason */
export async function checkRamCache(connection: ServerConnection, rule: RamCacheRule): Promise<void> {
  if (!(await hasRamCache(connection, rule))) return;
  const risk = `${connection.origin} has a RAM cache of prompts: under load, text of one conversation may end up in another (llama.cpp issue 27148).`;
  if (rule.isAccepted) return rule.onNotice?.(risk);
  throw new RemoteEngineError(
    "settings",
    `${risk} Start the server with -cram 0, then load the model again. If you cannot, accept the RAM cache where you name the server (option acceptRamCache, on the command line --accept-ram-cache).`,
  );
}

/** Tokens at the beginning of both texts: a server puts a text into the slot whose text begins alike. */
const sharedTokens = 4;
const ownTokens = 16;
/** The first ids of a vocabulary are special tokens and single bytes. */
const firstToken = 300;

/**
 * False also if the server does not show it: another client used the slot meanwhile, or the server does not answer, which the next
 * request reports. @throws the signal's reason
 */
export async function hasRamCache(
  connection: ServerConnection,
  { server, signal }: RamCacheCheck,
): Promise<boolean> {
  if (server.contextLength <= sharedTokens + ownTokens + 1) return false;
  const [one, other] = createTexts(server.vocabularySize);
  try {
    return await withResponseTimeLimit(connection, { ms: describeTimeoutMs, signal }, async (within) => {
      const first = await readBy(connection, one, within);
      const second = await readBy(connection, other, within);
      const again = await readBy(connection, one, within);
      if (first.slot !== second.slot || second.slot !== again.slot) return false;
      return second.computed >= ownTokens && again.computed < ownTokens;
    });
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}

/** Two texts that differ after the shared tokens. Another process may check the server at the same time, so each check has texts of its own. */
function createTexts(vocabularySize: number): readonly [TokenId[], TokenId[]] {
  const token = (number: number): TokenId => (firstToken + number) % vocabularySize;
  const shared = Array.from({ length: sharedTokens }, (_, index) => token(index));
  const [random = 0, ...others] = crypto.getRandomValues(new Uint32Array(ownTokens));
  const textFrom = (first: number): TokenId[] => [...shared, token(first), ...others.map(token)];
  return [textFrom(random), textFrom(random + 1)];
}

interface ReadText {
  /** The slot that the server chose. */
  readonly slot: unknown;
  /** Tokens of the text that the server computed. */
  readonly computed: number;
}

/** The server chooses the slot: one that no request uses. @throws Error for an answer without the number of computed tokens */
async function readBy(
  connection: ServerConnection,
  prompt: readonly TokenId[],
  signal: AbortSignal,
): Promise<ReadText> {
  const body = {
    prompt,
    n_predict: 1,
    cache_prompt: true,
    n_cache_reuse: 0,
    temperature: 0,
    response_fields: ["timings", "id_slot"],
  };
  const answer = await connection.post("/completion", body, { signal });
  const { timings, id_slot: slot } = isRecord(answer) ? answer : {};
  const computed = isRecord(timings) ? timings.prompt_n : undefined;
  if (!isCount(computed)) throw new Error("The server does not report how many tokens it computed.");
  return { slot, computed };
}
