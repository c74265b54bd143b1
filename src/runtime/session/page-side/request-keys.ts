/** Refuses requests of a session with a misspelled field, which would have no effect. */
import { createKeyCheck, type OptionKeys } from "../../../core/base/known-keys.ts";
import type { ModLimits, RequestMod, RunRequest } from "../shared/requests.ts";

const requestKeys: OptionKeys<RunRequest> = {
  requestId: true,
  messages: true,
  rawPrompt: true,
  parseSpecial: true,
  heal: true,
  thinking: true,
  tools: true,
  toolChoice: true,
  parallelToolCalls: true,
  responseFormat: true,
  sampling: true,
  maxTokens: true,
  stop: true,
  seed: true,
  onModError: true,
  budget: true,
  promptLookup: true,
  deadlines: true,
  mods: true,
  branchPoint: true,
};
const modKeys: OptionKeys<RequestMod> = { name: true, source: true, entry: true, limits: true };
const limitKeys: OptionKeys<ModLimits> = { deadlines: true, memory: true };

/** @throws TypeError */
export function checkRequestKeys(request: RunRequest): void {
  const check = createKeyCheck((message) => new TypeError(`The request: ${message}`));
  check(request, requestKeys, "");
  for (const [place, mod] of request.mods.entries()) {
    check(mod, modKeys, `mods[${place}]`);
    check(mod.limits ?? {}, limitKeys, `mods[${place}].limits`);
  }
}
