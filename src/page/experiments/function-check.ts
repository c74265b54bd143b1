/**
 * A check that is a function of the user. The function runs like a mod: in a sandbox of its own with the deadlines of mods, as
 * the only mod of a request for no tokens. Such a request makes no forward pass and does not change the KV cache.
 */
import { defaultSampling } from "../../core/base/sampling.ts";
import { describeValue } from "../../core/base/show.ts";
import type { ModCallRecord, TraceRecord } from "../../core/trace/format/format.ts";
import type { TraceMod } from "../../core/trace/format/format-request.ts";
import type { Check } from "./experiment.ts";
import type { CheckVerdict } from "./outcome.ts";
import type { ExperimentRequest } from "./request.ts";

/** The arguments of the function beside the text. */
export interface FunctionCheckArguments {
  readonly prompt: string;
  readonly seed: number;
  readonly finishReason: string;
  readonly tokens: number;
  readonly interventions: number;
}

const prefix = "midtoken check: ";

/** Code that follows the user's source, so that the line numbers of the source stay the same. */
const asking = `
import { mod as midtokenCheckMod } from "midtoken/mod";
export default midtokenCheckMod({
  prefilled(event) {
    const given = JSON.parse(String(event.messages[0]?.content));
    const holds: unknown = check(given.text, given.run);
    console.info(${JSON.stringify(prefix)} + (typeof holds === "boolean" ? holds : JSON.stringify(holds)));
  },
});
`;

type FunctionCheck = Extract<Check, { type: "function" }>;

/** The mod that calls the function. */
export function functionCheckMod({ name, source }: FunctionCheck): TraceMod {
  return { name, source: source + asking };
}

export function functionCheckRequest(
  check: FunctionCheck,
  text: string,
  run: FunctionCheckArguments,
  requestId: string,
): ExperimentRequest {
  return {
    requestId,
    messages: [{ role: "user", content: JSON.stringify({ text, run }) }],
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    responseFormat: null,
    sampling: defaultSampling,
    maxTokens: 0,
    stop: [],
    seed: 0,
    onModError: "stop",
    mods: [functionCheckMod(check)],
  };
}

/** `records`: the records of the request above. */
export function functionVerdict(records: readonly TraceRecord[]): CheckVerdict {
  const calls = records.filter((record): record is ModCallRecord => record.type === "modCall");
  const fault = calls.find(({ fault }) => fault !== null)?.fault;
  if (fault) {
    const line = fault.line === null ? "" : ` (line ${fault.line})`;
    return { holds: null, problem: `${fault.message}${line}` };
  }
  const lines = calls.flatMap(({ console }) => console);
  const said = lines.findLast(({ level, text }) => level === "info" && text.startsWith(prefix));
  const answer = said?.text.slice(prefix.length);
  if (answer === "true" || answer === "false") return { holds: answer === "true", problem: null };
  const what = answer === undefined ? "nothing" : describeValue(answer);
  return { holds: null, problem: `The check function returned ${what}: it must return true or false.` };
}
