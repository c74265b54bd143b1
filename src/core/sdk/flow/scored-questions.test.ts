/** Questions with `scores: true`: the probability of every option, before the answer is chosen. */
import { expect, test } from "vitest";
import { choices } from "../../masks/strategies/choices.ts";
import { regex } from "../../masks/strategies/regex.ts";
import { mod } from "../mod.ts";
import { flow } from "./flow.ts";
import type { OptionScore } from "./option-scores.ts";
import { question } from "./question.ts";
import { selfPrompt, selfPromptMod } from "./self-prompt.ts";
import { end, message } from "./target.ts";
import { createScriptedLogits, runMods } from "./testing/run-mod.ts";

/** A model that writes "..", prefers Y to N after "Q:", and N to Y after "W:". */
const says = createScriptedLogits({ "": ".", "Q:": "YN", "W:": "NY", "..": "" });
const setting = { prompt: "p", request: { maxTokens: 20 }, model: { logits: says } };

const likeliest = (scores: readonly OptionScore[] = []) =>
  scores.toSorted((one, other) => other.probability - one.probability)[0]?.text;

test("a flow branches on the probability of an option", async () => {
  const seen: (readonly OptionScore[])[] = [];
  const sure = question({ name: "sure", prompt: "Q:", responses: ["N", "Y"], erase: "all", scores: true });
  sure.branch(({ scores }) => {
    seen.push(scores.sure ?? []);
    return (scores.sure?.[1]?.probability ?? 0) > 0.5 ? message("!") : end();
  });
  const run = await runMods([flow({ entry: sure }).asMod()], setting);
  expect(run.faults).toEqual([]);
  expect(run.text).toBe("!..");
  expect(seen).toHaveLength(1);
  const [scores = []] = seen;
  expect(scores.map(({ text }) => text)).toEqual(["N", "Y"]);
  expect(scores[0]?.probability).toBeLessThan(scores[1]?.probability ?? 0);
  expect(scores.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1);
});

test("a question that is asked again has the probabilities of its last prompt", async () => {
  const seen: (string | undefined)[] = [];
  const prompts = ["Q:", "W:"];
  const asked = question({
    name: "asked",
    prompt: () => prompts[seen.length] ?? "",
    responses: ["N", "Y"],
    erase: "all",
    scores: true,
  });
  asked.branch(({ scores }) => {
    seen.push(likeliest(scores.asked));
    return seen.length < prompts.length ? asked : end();
  });
  const run = await runMods([flow({ entry: asked }).asMod()], setting);
  expect(run.faults).toEqual([]);
  expect(seen).toEqual(["Y", "N"]);
});

test("the output is that of the same question without scores, and options of one token cost no pass", async () => {
  const asks = { prompt: "Q:", strategy: choices(["N", "Y"]), completion: "\n" };
  const scored = await runMods([selfPromptMod({ ...asks, scores: true })], setting);
  const plain = await runMods([selfPromptMod(asks)], setting);
  expect(scored.text).toBe("Q:Y\n..");
  expect(scored.text).toBe(plain.text);
  expect(scored.finished.usage).toEqual(plain.finished.usage);
  const calls = scored.records.flatMap((record) => (record.type === "modCall" ? (record.scores ?? []) : []));
  expect(calls).toHaveLength(1);
  // The probabilities of options of one token are read from the logits after the prompt.
  expect(calls[0]?.passes).toBe(0);
});

test("handleAsync waits for the model, and handle refuses", async () => {
  const options = { prompt: "Q:", strategy: choices(["N", "Y"]), scores: true };
  const waited = selfPrompt(options);
  const scores: unknown[] = [];
  const waits = mod(async (event, actions, tokenizer) => {
    const action = await waited.handleAsync(event, actions, tokenizer);
    if (event.type === "finished") scores.push(waited.answer(), likeliest(waited.scores() ?? []));
    return action;
  });
  expect((await runMods([waits], setting)).text).toBe("Q:Y..");
  expect(scores).toEqual(["Y", "Y"]);

  const refused = selfPrompt(options);
  const run = await runMods(
    [mod((event, actions, tokenizer) => refused.handle(event, actions, tokenizer))],
    setting,
  );
  expect(run.faults).toEqual([expect.stringContaining("scores: true, and handle(...) cannot wait")]);
});

test("what cannot be scored is refused where it is written", () => {
  expect(() => selfPrompt({ strategy: regex("a+"), scores: true })).toThrow(
    '"scores" needs a list of texts, but the strategy is regex',
  );
  const many = Array.from({ length: 65 }, (_, place) => `option ${place}`);
  expect(() => question({ name: "many", responses: many, scores: true })).toThrow(
    '"scores" was given 65 texts: at most 64 are scored',
  );
  expect(() => selfPrompt({ strategy: choices(["a"]), scores: 1 as never })).toThrow(
    '"scores" is 1: give true or false',
  );
  const asked = selfPrompt({ strategy: choices(["a"]), scores: true });
  expect(() => asked.replaceStrategy(regex("a+"), "request")).toThrow('"scores" needs a list of texts');
});
