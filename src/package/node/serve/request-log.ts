/** The request log: one line per request. It contains no texts of prompts and outputs, and no keys. */

export const logFormats = ["off", "text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LoggedRequest {
  /** Time of the response, in ISO format. */
  readonly time: string;
  /** Name of the key; null without one. */
  readonly key: string | null;
  readonly method: string;
  /** Pattern of the route, for example `/v1/models/*`; null if there is no such route. */
  readonly route: string | null;
  /** Null if no such model is loaded, because the client could have sent any text. */
  readonly model: string | null;
  /** 499 if the client left. */
  readonly status: number;
  /** Null if no tokens were counted. */
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly ms: number;
  /** The code of the error, also of an error inside a stream. */
  readonly error: string | null;
}

/** Null if `format` is "off". */
export function formatLogLine(request: LoggedRequest, format: LogFormat): string | null {
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
