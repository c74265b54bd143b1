/** The mods of docs/from-quote.md write what stands under them, and the page has every name of both SDKs. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { examplesInMarkdown, readDocument } from "../../../scripts/doc-examples.ts";
import { moduleExports } from "../../runtime/sandbox/module-exports.ts";
import { inProcessMod } from "./testing/in-process-mod.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

const page = readDocument("docs/from-quote.md");
/** This one asks an engine: src/package/api runs it. */
const mods = examplesInMarkdown(page).files.filter((file) => !file.endsWith("register.ts"));

/** Names that Quote's SDK exports and hands to a mod, by its documentation and source (version 0.4.3). */
const theirNames =
  `mod create_mod Prefilled ForwardPass Sampled Added max_steps context_info logits top_k_logprob sampled_token
  added_tokens forced request_id step InvalidActionError noop adjust_prefill force_tokens adjust_logits token_temp backtrack
  force_output tool_calls emit_error encode decode eos_token_id get_conversation tool_call_pairs get_schemas ChoicesStrat UntilStrat
  UntilEndType.TAG UntilEndType.ANYCHAR CharsStrat CharsMode.ALPHA CharsMode.ALPHANUMERIC CharsMode.NUMERIC CharsMode.STRING
  CharsMode.JS_FLOAT ListStrat end_with PatternStrat SelfPrompt completion EraseMode.NONE EraseMode.PROMPT EraseMode.ALL argmax_sampling
  mask_value handle_prefilled handle_forward_pass handle_added is_complete answer_tokens refresh_responses self_prompt_mod FlowQuestion
  completion_text erase_mode on then otherwise assign branch with_auto_answer route_question route_message route_summary route_output
  route_tool route_noop FlowEngine entry_question state_factory FlowDefinition summary_builder RequestState.answers RequestState.data
  handle_event serialize_mod`.split(/\s+/);

describe("docs/from-quote.md", () => {
  const left = page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(" | ")[0] ?? "")
    .join("\n");

  test("has every name of Quote's SDK on the left", () => {
    expect(
      theirNames.filter((name) => !new RegExp(`\\b${name.replaceAll(".", "\\.")}\\b`).test(left)),
    ).toEqual([]);
  });

  test("has every value that mods import from Midtoken", () => {
    const ours = Object.values(moduleExports).flatMap(({ values }) => [...values]);
    expect(ours.length).toBeGreaterThan(15);
    // `constraintOf` and the errors of strategies are for who makes strategies work elsewhere: docs/masks.md.
    const known = new Set(["constraintOf", "ConstraintLimitError", "StrategyError"]);
    expect(ours.filter((name) => !known.has(name) && !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
  });
});

describeOnBundledModel((model) => {
  test.each(mods)("%s", async (file) => {
    const lines: string[] = [];
    const host = inProcessMod(readFileSync(file, "utf8"), model().tokenizer, (line) => lines.push(line));
    const messages = [{ role: "user", content: "Once upon a time" }] as const;
    const { finished } = await model().run({ messages, maxTokens: 24 }, [host]);
    expect(finished.error).toBeNull();
    const calls = finished.toolCalls.map(({ function: { name, arguments: given } }) => `${name}(${given})`);
    const given = [...lines, ...calls, finished.text].join("\n").trimEnd();
    const [, shown] = page.split(`\`\`\`ts ${file}\n`)[1]?.match(/^```\n\n```text\n([\s\S]*?)\n```$/m) ?? [];
    expect(shown).toBe(given);
  });
});
