import type { OptionKeys } from "./known-keys.ts";

/**
 * The model server that the user of a page named. Plain data: the page sends it to the engine's worker. The key goes to this
 * address and nowhere else: not into a trace, a link, an error or a log.
 */
export interface ServerAccess {
  /** The address as `serverAddress` in `src/runtime/remote` returns it, without a slash at its end. */
  readonly url: string;
  readonly key?: string | undefined;
  /** False: the server draws no token with its own random numbers. `"always"`: llama.cpp's server draws each token of a request with a temperature, also of one whose seed was chosen. */
  readonly serverDraws?: boolean | "always" | undefined;
  /** True accepts a llama.cpp server with a RAM cache of prompts, which may put text of one conversation into another. */
  readonly acceptRamCache?: boolean | undefined;
}

export const serverAccessKeys: OptionKeys<ServerAccess> = {
  url: true,
  key: true,
  serverDraws: true,
  acceptRamCache: true,
};
