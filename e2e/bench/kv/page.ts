/** The page of the key/value cache bench: what requests read of what they were given. */
import { KvCache } from "../../../src/core/decoder/kv-cache/kv-cache.ts";
import { someTokens } from "../../../src/core/decoder/ports/language-model.compare.ts";
import { inProcessMod } from "../../../src/core/decoder/testing/in-process-mod.ts";
import type { Action } from "../../../src/core/sdk/action.ts";
import type { TokenId } from "../../../src/core/sdk/request.ts";
import { openBundle, type RunOutcome, runRequest, tokensOf, userSays } from "../decode/ours.ts";
import type { Subject } from "../decode/rival.ts";
import { several } from "./several.ts";

export interface DraftsOptions {
  readonly subject: Subject;
  readonly maxTokens: number;
  readonly warmUps: number;
  readonly rounds: number;
}

export interface DraftsResult {
  readonly text: string;
  readonly isSame: boolean;
  readonly tokens: number;
  /** Forward passes after the prompt. */
  readonly passes: { readonly drafts: number; readonly plain: number };
  /** Milliseconds from the first token to the end, per round. */
  readonly drafts: readonly number[];
  readonly plain: readonly number[];
}

/** The same request with drafts and without, in turns; each in a cache that has the prompt. */
async function drafts({ subject, maxTokens, warmUps, rounds }: DraftsOptions): Promise<DraftsResult> {
  const bundle = await openBundle(subject, "wasm");
  const kvCache = new KvCache(bundle.model);
  const settings = { messages: userSays(subject.content), maxTokens, kvCache };
  const times: Record<"drafts" | "plain", number[]> = { drafts: [], plain: [] };
  const last: Partial<Record<"drafts" | "plain", RunOutcome>> = {};
  let isSame = true;
  for (let round = 0; round < warmUps + rounds; round++) {
    const turns = round % 2 === 0 ? (["drafts", "plain"] as const) : (["plain", "drafts"] as const);
    for (const turn of turns) {
      const outcome = await runRequest(bundle, { ...settings, drafts: turn === "drafts" });
      const firstMs = outcome.records.find(({ record }) => record.type === "added")?.atMs ?? Number.NaN;
      if (round >= warmUps) times[turn].push(outcome.endMs - firstMs);
      last[turn] = outcome;
    }
    isSame &&= String(tokensOf(last.drafts as RunOutcome)) === String(tokensOf(last.plain as RunOutcome));
  }
  const passesOf = (outcome: RunOutcome | undefined) => passesAfter(outcome?.records ?? [], 0).length;
  const passes = { drafts: passesOf(last.drafts), plain: passesOf(last.plain) };
  const { text = "" } = last.drafts ?? {};
  const { length } = tokensOf(last.drafts as RunOutcome);
  await bundle.model.dispose();
  return { text, isSame, tokens: length, passes, ...times };
}

/** The passes that a change caused: tokens of each pass. */
export interface ReadResult {
  readonly contextLength: number;
  readonly passes: readonly number[];
}

export interface ReadsResult {
  readonly edit: ReadResult;
  readonly nextTurn: ReadResult;
  readonly backtrack: ReadResult;
  readonly replaced: ReadResult;
  readonly forced: ReadResult;
}

export interface ReadsOptions {
  readonly subject: Subject;
  readonly device: "wasm" | "webgpu";
  readonly contextTokens: number;
}

/** Changes of a long context. */
async function reads({ subject, device, contextTokens }: ReadsOptions): Promise<ReadsResult> {
  const bundle = await openBundle(subject, device);
  const kvCache = new KvCache(bundle.model);
  const messages = userSays("a long context");
  const chat = someTokens(bundle.model.vocabularySize - 8, contextTokens).map((token) => token + 8);
  const request = (prompt: readonly TokenId[], maxTokens: number, answer?: Action, at = 0) => {
    let isAnswered = false;
    const changes = inProcessMod("changes", {
      added({ step }) {
        if (!answer || isAnswered || step < at) return undefined;
        isAnswered = true;
        return answer;
      },
    });
    return runRequest(bundle, { messages, prompt, maxTokens, kvCache, mods: answer ? [changes] : [] });
  };
  const first = await request(chat, 8);
  const other = chat.slice(0, 24).reverse();
  const edited = await request([...chat.slice(0, -24), ...other], 8);
  const grown = [...chat.slice(0, -24), ...other, ...tokensOf(edited), ...chat.slice(0, 16)];
  const next = await request(grown, 4);
  const cut = chat.slice(0, contextTokens - 40);
  const removed = await request(cut, 48, { type: "backtrack", count: 32 }, 40);
  const replaced = await request(cut, 48, { type: "backtrack", count: 32, tokens: chat.slice(0, 8) }, 40);
  const forced = await request(chat, 200, { type: "forceTokens", tokens: chat.slice(0, 128) }, 8);
  await bundle.model.dispose();
  if (tokensOf(first).length !== 8)
    throw new Error("The first answer ended early: there is no chat to edit.");
  return {
    edit: promptRead(edited),
    nextTurn: promptRead(next),
    backtrack: changeRead(removed, "backtracked"),
    replaced: changeRead(replaced, "backtracked"),
    forced: changeRead(forced, "added"),
  };
}

/** Until the first token. */
function promptRead({ records }: RunOutcome): ReadResult {
  const end = records.findIndex(({ record }) => record.type === "sampled");
  return readIn(records.slice(0, end));
}

/** From the change to the next token. */
function changeRead({ records }: RunOutcome, type: "backtracked" | "added"): ReadResult {
  const start = records.findIndex(
    ({ record }) => record.type === type && (record.type === "backtracked" || record.source === "forced"),
  );
  if (start < 0) throw new Error("The mod changed nothing.");
  const end = records.findIndex(({ record }, place) => place > start && record.type === "sampled");
  return readIn(records.slice(start, end));
}

function readIn(records: RunOutcome["records"]): ReadResult {
  const passes = passesAfter(records, -1);
  return {
    contextLength: passes.at(-1)?.contextLength ?? 0,
    passes: passes.map(({ tokenCount }) => tokenCount),
  };
}

/** Runs of the model after step `step`. */
function passesAfter(records: RunOutcome["records"], step: number) {
  return records
    .map(({ record }) => record)
    .filter((record) => record.type === "forwardPass")
    .filter((record) => record.step > step && record.tokenCount > 0);
}

const kvBench = { drafts, reads, several };
export type KvBench = typeof kvBench;
Object.assign(window, { kvBench });
