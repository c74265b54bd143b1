/** Defaults of `midtoken serve`, for the command and its help. The defaults of requests are in `core/base/request-defaults.ts`. */
import type { LogFormat } from "../serve/request-log.ts";

export const serveDefaults: {
  readonly host: string;
  readonly port: number;
  readonly log: LogFormat;
  /** Seconds that requests in progress may take after a signal. */
  readonly drainSeconds: number;
} = { host: "127.0.0.1", port: 8080, log: "text", drainSeconds: 0 };
