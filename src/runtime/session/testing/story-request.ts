/** Requests to the bundled story model. */
import { defaultSampling } from "../../../core/sdk/request.ts";
import type { RunRequest } from "../shared/requests.ts";

let count = 0;

/** Eight tokens at temperature 0, under an id of its own. */
export function createStoryRequest(changes: Partial<RunRequest> = {}): RunRequest {
  return {
    requestId: `request-${++count}`,
    sampling: { ...defaultSampling, temperature: 0 },
    maxTokens: 8,
    messages: [{ role: "user", content: "Once upon a time" }],
    stop: [],
    seed: 1,
    mods: [],
    onModError: "stop",
    ...changes,
  };
}
