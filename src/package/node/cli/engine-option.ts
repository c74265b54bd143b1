/** The options `--engine` and `--listed`: servers that run the model. */
import type { RemoteAccess } from "../../../runtime/remote/connection.ts";
import { readNumber } from "./options.ts";
import { type Terminal, UsageError } from "./terminal.ts";

/** The servers' addresses, and the key that all of them accept. */
export type EngineServers = RemoteAccess;

interface Values {
  readonly engine?: readonly string[];
  readonly listed?: string;
}

/**
 * Null without `--engine`. The key comes from the environment, because other users can read a command's arguments.
 * @throws UsageError
 */
export function readEngines(
  { engine: urls = [], listed }: Values,
  environment: Terminal["environment"],
): EngineServers | null {
  const [url, ...replicas] = urls;
  if (url === undefined) {
    if (listed !== undefined) throw new UsageError("--listed needs --engine.");
    return null;
  }
  const key = environment.MIDTOKEN_ENGINE_KEY;
  return {
    url,
    ...(replicas.length > 0 && { replicas }),
    listed: readNumber("listed", listed, { min: 1, whole: true }),
    ...(key !== undefined && key !== "" && { key }),
  };
}
