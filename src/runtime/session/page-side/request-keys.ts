/** Refuses requests of a session with a misspelled field, which would have no effect. */
import { createKeyCheck, type OptionKeys } from "../../../core/base/known-keys.ts";
import { defaultSampling } from "../../../core/base/sampling.ts";
import type { BranchPoint } from "../../../core/decoder/replay/branch-point.ts";
import { messageKeys } from "../../../core/sdk/message-keys.ts";
import type { ToolCall } from "../../../core/sdk/request.ts";
import type { Deadlines } from "../../sandbox/deadlines.ts";
import type { ModLimits, PromptRequest, RequestMod, RunRequest, VerifyRequest } from "../shared/requests.ts";

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
  hasRandomSeed: true,
  onModError: true,
  budget: true,
  promptLookup: true,
  deadlines: true,
  mods: true,
  branchPoint: true,
};
const verifyKeys: OptionKeys<VerifyRequest> = {
  requestId: true,
  records: true,
  mods: true,
  deadlines: true,
  model: true,
};
const modKeys: OptionKeys<RequestMod> = { name: true, source: true, entry: true, limits: true };
const limitKeys: OptionKeys<ModLimits> = { deadlines: true, memory: true };
const deadlineKeys: OptionKeys<Deadlines> = { load: true, prefilled: true, event: true };
const branchKeys: OptionKeys<BranchPoint> = {
  records: true,
  at: true,
  kept: true,
  token: true,
  follows: true,
};

const callKeys: OptionKeys<ToolCall> = { id: true, type: true, function: true };
const calledKeys: OptionKeys<ToolCall["function"]> = { name: true, arguments: true };

const knownInMessage = Object.fromEntries(messageKeys.map((key) => [key, true]));

/** @throws TypeError */
export function checkRequestKeys(request: RunRequest): void {
  const { sampling, deadlines, branchPoint, mods } = request;
  const check = checkIn("run");
  checkPrompt(check, request);
  check(sampling, defaultSampling, "sampling");
  check(branchPoint, branchKeys, "branchPoint");
  checkMods(check, { mods, deadlines });
}

/** The fields of a whole request are allowed: an app shows the prompt of the request that it will send. @throws TypeError */
export const checkPromptKeys = (prompt: PromptRequest): void =>
  checkPrompt(checkIn("tokenizePrompt"), prompt);

/** @throws TypeError */
export function checkVerifyKeys(request: VerifyRequest): void {
  const check = checkIn("verify");
  check(request, verifyKeys, "");
  checkMods(check, request);
}

/** Checks the keys of an object; an absent object has none. */
type Check = (value: object | undefined, known: object, path: string) => void;

function checkIn(called: string): Check {
  const check = createKeyCheck((message) => new TypeError(`In the request to ${called}: ${message}`));
  return (value = {}, known, path) => check(value, known, path);
}

function checkPrompt(check: Check, request: PromptRequest): void {
  check(request, requestKeys, "");
  // The engine says so if an app without types leaves out the messages or the mods.
  for (const [place, message] of request.messages?.entries() ?? []) {
    const path = `messages[${place}]`;
    check(message, knownInMessage, path);
    for (const [at, call] of message.tool_calls?.entries() ?? []) {
      check(call, callKeys, `${path}.tool_calls[${at}]`);
      check(call.function, calledKeys, `${path}.tool_calls[${at}].function`);
    }
  }
}

function checkMods(check: Check, { mods, deadlines }: Pick<RunRequest, "mods" | "deadlines">): void {
  const checkDeadlines = (given: object | undefined, path: string) => check(given, deadlineKeys, path);
  checkDeadlines(deadlines, "deadlines");
  for (const [place, mod] of mods?.entries() ?? []) {
    const path = `mods[${place}]`;
    check(mod, modKeys, path);
    check(mod.limits, limitKeys, `${path}.limits`);
    checkDeadlines(mod.limits?.deadlines, `${path}.limits.deadlines`);
  }
}
