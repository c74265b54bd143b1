// @vitest-environment happy-dom
/** The step inspector over a recorded run: what each mod moved, what could be chosen, and where the random number fell. */
import { beforeAll, expect, test } from "vitest";
import { defaultSampling } from "../../../core/base/sampling.ts";
import { mod } from "../../../core/sdk/index.ts";
import { selectionAfterClick } from "../../../core/trace/model/selection.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { modelWithQuestions } from "../../../core/trace/testing/question-trace.ts";
import { createTraceBuilder, noCatchUp, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { createScriptedModel, runMod } from "../../../package/testing/index.ts";
import { findOnly, render, waitUntilPasses } from "../../ui/testing/render.ts";
import { StepInspector } from "./step-inspector.tsx";
import { twoTokenProbabilities } from "./testing/two-token-probabilities.ts";

/** A mod that makes the most likely token of each step less likely. */
const swapName = mod({
  name: "swap-name",
  forwardPass(event, actions) {
    const [first] = event.topK(1);
    return first && actions.adjustLogits({ add: { [first.token]: -3 } });
  },
});

const trace = createTraceModel();
const words = { " cat": 0.5, " dog": 0.3, " bird": 0.15, " fish": 0.04, " ant": 0.01 };

beforeAll(async () => {
  const model = createScriptedModel({ script: Array(12).fill(words) });
  const sampling = { temperature: 0.8, topP: 0.95 };
  const { records } = await runMod(swapName, { model, sampling, seed: 3, maxTokens: 12 });
  trace.append(records);
});

function inspector(index: number, shown = trace) {
  return render(
    <StepInspector
      trace={shown}
      version={1}
      selection={selectionAfterClick(null, index, false)}
      onOpenSource={null}
      onBranch={null}
    />,
  );
}

const region = (name: string) => findOnly(`section[aria-label="${name}"]`);

async function openStep(index: number): Promise<void> {
  await inspector(index);
  await waitUntilPasses(() => region("Random draw"));
}

test("the mark of a token is inside its quotation marks, which are not struck through", async () => {
  await inspector(1);
  expect(findOnly("q > .inspector-token").classList).toContain("inspector-adjusted");
  expect(findOnly("q").className).not.toContain("inspector-adjusted");
});

test("what a mod moved is said in words and numbers", async () => {
  await openStep(1);
  const moved = region("Changes by each mod");
  expect(moved.textContent).toContain("swap-name shifted 1 logit");
  expect(findOnly(".moved", moved).textContent).toMatch(
    /^[\d.]+%( to [\d.]+%)? of the probability moved to other tokens$/,
  );
  const [, firstRow] = moved.querySelectorAll("tr");
  expect(firstRow?.textContent).toContain("lost");
});

test("the random number stands inside the token that it hit, with and without the mods", async () => {
  for (const index of trace.tokens.text.keys()) {
    await openStep(index);
    const bars = [...region("Random draw").querySelectorAll(".draw-bar")];
    expect(bars).toHaveLength(2);
    const draw = Number.parseFloat(findOnly<HTMLElement>(".draw-mark").style.left);
    for (const bar of bars) {
      const { left, width } = findOnly<HTMLElement>(".draw-hit", bar).style;
      const from = Number.parseFloat(left);
      expect(draw).toBeGreaterThanOrEqual(from);
      expect(draw).toBeLessThanOrEqual(from + Number.parseFloat(width));
    }
    document.body.replaceChildren();
  }
});

test("a draw that the mods changed names both tokens; the tokens that could be chosen are counted", async () => {
  await openStep(1);
  expect(findOnly("h3 + p", region("Random draw")).textContent).toMatch(
    /^The random number (0\.\d{4}) selected “.+”, which had [\d.]+% after temperature 0\.8 and top-p 0\.95\. Without the mods, the same number would have selected “.+”\.$/,
  );
  expect(findOnly(".cut-offs figcaption").textContent).toMatch(
    /Top-p 0\.95 .+; \d+ of \d+ tokens could be chosen\./,
  );
});

test.each([
  ["drawn", 1, false, /^The random number 0\.5000 selected “ b”, which had 40%\.$/],
  [
    "chosen by the user",
    1,
    true,
    /^You chose “ b”, which had 40%\. The random number 0\.5000 would have selected “ a”\.$/,
  ],
])("the first token of a branch was %s", async (_, temperature, isChosen, sentence) => {
  const branch = { requestId: "r", index: 0, isChosen, ...noCatchUp };
  const builder = createTraceBuilder(
    requestRecord({ branch, sampling: { ...defaultSampling, temperature } }),
  );
  builder.prefill([{ token: 9, text: "x" }]);
  builder.forward(twoTokenProbabilities(0.6));
  const before = Math.log(0.4);
  builder.sample(
    { token: 2, text: " b" },
    { draw: 0.5, logprobBefore: before, logprobAfter: before, probability: 0.4, candidates: 2 },
  );
  builder.add([{ token: 2, text: " b" }], "sampled");
  const branched = createTraceModel();
  branched.append(builder.finish("length").records);
  await inspector(0, branched);
  expect(findOnly("h3 + p", await waitUntilPasses(() => region("Random draw"))).textContent).toMatch(
    sentence,
  );
  const names = [...findOnly(".facts").querySelectorAll("dt")].map(({ textContent }) => textContent);
  expect(names.includes("random number")).toBe(!isChosen);
});

test("at temperature 0 no random number is shown: nothing was drawn", async () => {
  const greedy = createTraceModel();
  const model = createScriptedModel({ script: Array(2).fill(words) });
  const { records } = await runMod(mod({ added: () => undefined }), {
    model,
    sampling: { temperature: 0 },
    maxTokens: 2,
  });
  greedy.append(records);
  await inspector(0, greedy);
  expect((await waitUntilPasses(() => findOnly(".draw-none"))).textContent).toContain("nothing is drawn");
  expect(findOnly(".facts").textContent).not.toContain("random number");
});

test("the draw as a table has a column without the mods", async () => {
  await openStep(1);
  const columns = [...findOnly(".draw-table").querySelectorAll("th[scope=col]")];
  expect(columns.map((column) => column.textContent)).toEqual(["token", "without the mods", "with the mods"]);
});

test("the probability of the draw is named, and the number of tokens it was chosen from", async () => {
  await inspector(1);
  await waitUntilPasses(() => findOnly(".facts"));
  const details = Object.fromEntries(
    [...document.querySelectorAll(".facts > div")].map((fact) => [
      fact.querySelector("dt")?.textContent,
      fact.querySelector("dd")?.textContent,
    ]),
  );
  const [, inDraw] = /which had ([\d.]+%)/.exec(region("Random draw").textContent ?? "") ?? [];
  expect(details["after the mods, temperature 0.8 and top-p 0.95"]).toBe(inDraw);
  expect(details["chosen from"]).toMatch(/^\d+ tokens?$/);
});

test("a token of a question shows what was asked and answered", async () => {
  await render(
    <StepInspector
      trace={modelWithQuestions()}
      version={1}
      selection={selectionAfterClick(null, 3, false)}
      onOpenSource={null}
      onBranch={null}
    />,
  );
  await waitUntilPasses(() =>
    expect(findOnly(".inspector-question").textContent).toBe("asked: “Mood:” → “happy”"),
  );
});

test("at a step of token healing, the probabilities are those before and after token healing, not the mods", async () => {
  const script = ["It", " is", { " France": 0.9, " Fr": 0.1 }, "."];
  const model = createScriptedModel({ script, vocabulary: [" is", " Fr"] });
  const forces = mod({
    added: (event, actions) => (event.text === "It" ? actions.forceTokens(" is Fr") : undefined),
  });
  const healed = createTraceModel();
  healed.append((await runMod(forces, { model })).records);
  await inspector(healed.tokens.text.indexOf(" France"), healed);
  expect(findOnly(".alternatives thead").textContent).toContain("before healing");
});

test("numbers that a link has rounded are shown as approximate", async () => {
  const rounded = createTraceModel(new Set(["exactNumbers"]));
  rounded.append(trace.records);
  await inspector(1, rounded);
  const details = (await waitUntilPasses(() => findOnly(".facts"))).textContent;
  expect(details).toMatch(/model’s probability≈ [\d.]+%/);
  expect(details).toMatch(/entropy≈ \d\.\d bits/);
  expect(details).toMatch(/after .+top-p 0\.95≈ [\d.]+%/);
});

test("what a server did not list is shown as bounds, and a token that the server drew is marked", async () => {
  const listed = createTraceModel();
  const partial = { rest: 0.03, mostEntropy: 2.5 };
  listed.append(
    trace.records.map((record) => {
      if (record.type === "forwardPass" && record.before)
        return { ...record, before: { ...record.before, partial } };
      if (record.type === "adjusted") return { ...record, after: { ...record.after, partial } };
      return record.type === "sampled" ? { ...record, drawnBy: "server" as const } : record;
    }),
  );
  await inspector(1, listed);
  const unlisted = await waitUntilPasses(() => region("Tokens that the server did not list"));
  expect(unlisted.textContent).toContain("before the mods ≤ 3.0%");
  expect(unlisted.textContent).toContain("after the mods ≤ 3.0%");
  expect((await waitUntilPasses(() => findOnly(".facts"))).textContent).toMatch(
    /entropy\d\.\d\d to 2\.50 bits/,
  );
  expect(findOnly(".draw-none").textContent).toMatch(/^The server drew this token/);
});
