/** The options of `midtoken run` and `midtoken serve` for servers that run the model. */
import type { RemoteAccess } from "../../../runtime/remote/connection.ts";
import { type OptionValues, readNumberOption } from "./options.ts";
import { type Terminal, UsageError } from "./terminal.ts";

/** The servers' addresses, and the key that all of them accept. */
export type EngineServers = RemoteAccess;

export const engineServerOptions = {
  engine: { type: "string", multiple: true },
  listed: { type: "string" },
  "no-server-draws": { type: "boolean" },
  "server-draws": { type: "boolean" },
  "accept-ram-cache": { type: "boolean" },
  priority: { type: "string" },
} as const;

export const engineServerHelp = `  --listed N            number of most likely tokens that the server returns at each step; by default 64, or the whole of a small vocabulary
  --no-server-draws     the server never draws a token, so the seed determines every token; otherwise llama.cpp's server draws the tokens of requests without a seed, which is faster; see docs/remote.md
  --server-draws        llama.cpp's server also draws the tokens of requests with a seed: faster, but the seed does not determine the tokens
  --accept-ram-cache    uses a llama.cpp server although it has a RAM cache of prompts: under load, text of one conversation may end up in another; see docs/remote.md
  --priority N          priority of the requests to vLLM or SGLang servers that are started with priority scheduling
`;

type Values = OptionValues<typeof engineServerOptions>;

/**
 * Null without `--engine`. The key comes from the environment, because other users can read a command's arguments.
 * @throws UsageError
 */
export function readEngineServers(
  values: Values,
  environment: Terminal["environment"],
): EngineServers | null {
  const { engine: urls = [], listed, priority, "accept-ram-cache": acceptRamCache } = values;
  const serverDraws = readServerDraws(values);
  const [url, ...replicas] = urls;
  if (url === undefined) {
    if (listed !== undefined) throw new UsageError("--listed needs --engine.");
    if (priority !== undefined) throw new UsageError("--priority needs --engine.");
    if (serverDraws === false) throw new UsageError("--no-server-draws needs --engine.");
    if (serverDraws === "always") throw new UsageError("--server-draws needs --engine.");
    if (acceptRamCache) throw new UsageError("--accept-ram-cache needs --engine.");
    return null;
  }
  const key = environment.MIDTOKEN_ENGINE_KEY;
  return {
    url,
    ...(replicas.length > 0 && { replicas }),
    listed: readNumberOption("listed", listed, { min: 1, whole: true }),
    priority: readNumberOption("priority", priority, { min: -(2 ** 31), max: 2 ** 31 - 1, whole: true }),
    ...(serverDraws !== undefined && { serverDraws }),
    ...(acceptRamCache && { acceptRamCache }),
    ...(key !== undefined && key !== "" && { key }),
  };
}

/** @throws UsageError */
function readServerDraws({
  "no-server-draws": never,
  "server-draws": always,
}: Values): RemoteAccess["serverDraws"] {
  if (never && always)
    throw new UsageError("--server-draws and --no-server-draws contradict each other: give one of them.");
  if (never) return false;
  return always ? "always" : undefined;
}
