/** The request log: one line for a request. It has no texts of prompts and answers, and no keys. */

export const logFormats = ["off", "text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LoggedRequest {
  /** When it was answered, in ISO format. */
  readonly time: string;
  /** Name of the key; null without one. */
  readonly key: string | null;
  readonly method: string;
  /** Its pattern, for example `/v1/models/*`; null if there is no such route. */
  readonly route: string | null;
  /** Null if no such model is loaded: the client could have written anything. */
  readonly model: string | null;
  /** 499 if the client left. */
  readonly status: number;
  /** Null if none were counted. */
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly ms: number;
  /** The code of the error, also of one inside a stream. */
  readonly error: string | null;
}

export function logLine(request: LoggedRequest, format: LogFormat): string | null {
  if (format === "off") return null;
  if (format === "json") return JSON.stringify(request);
  const { time, key, method, route, model, status, ms, error } = request;
  const { prompt_tokens: prompt, completion_tokens: completion } = request;
  const tokens = prompt === null ? "-" : `${prompt}+${completion ?? 0}`;
  const words = [
    time,
    key ?? "-",
    method,
    route ?? "-",
    model ?? "-",
    status,
    `${tokens} tokens`,
    `${ms} ms`,
  ];
  return [...words, ...(error === null ? [] : [error])].join(" ");
}
