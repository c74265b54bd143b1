/** Scores in QuickJS equal those of the same mod without a sandbox, and mods that use layers cannot score. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryTokenizerData } from "../../../core/tokenizer/testing/repository-tokenizers.ts";
import { type ExportedModel, openExportedModel } from "../../../page/examples/testing/exported-model.ts";
import { inProcessMod } from "../../../page/examples/testing/in-process-mod.ts";
import { scoredFlowSource } from "../../../page/examples/testing/scored-flow.ts";
import {
  asRealTestModel,
  type RealTestModel,
  type TestRunOutcome,
} from "../../../page/examples/testing/test-model.ts";
import { compileMod } from "../../../runtime/sandbox/compile.ts";
import { connectModHost, serializeTokenizer } from "../../../runtime/sandbox/port-mod-host.ts";
import { createQuickJsPool } from "./quickjs-pool.ts";

const tokenizerData = repositoryTokenizerData("stories260k");
const pool = createQuickJsPool();
let exported: ExportedModel;
let model: RealTestModel;

beforeAll(async () => {
  pool.prepare(serializeTokenizer(tokenizerData));
  exported = await openExportedModel("public/models/stories260k", "onnx/model.onnx");
  model = asRealTestModel(exported);
});
afterAll(async () => {
  pool.dispose();
  await model.dispose();
});

const settings = { messages: [{ role: "user", content: "Once upon a time" }], maxTokens: 8 } as const;

async function inQuickJs(source: string): Promise<TestRunOutcome> {
  const compiled = compileMod(source, "test");
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  const guest = await pool.spawn(compiled);
  const host = await connectModHost(guest, {
    name: "scored",
    about: guest.about,
    seed: 1,
    tokenizerData,
    deadlines: { load: 60_000, prefilled: 60_000, event: 60_000 },
    onKill: () => guest.kill(),
  });
  exported.forget();
  try {
    return await model.run(settings, [host]);
  } finally {
    host.dispose();
  }
}

const scoresOf = ({ recordsOf }: TestRunOutcome) => recordsOf("modCall").flatMap(({ scores = [] }) => scores);

test("a flow reads the probability of each option", async () => {
  const scored = await inQuickJs(scoredFlowSource);
  exported.forget();
  const plain = await model.run(settings, [inProcessMod(scoredFlowSource, model.tokenizer)]);
  expect(scored.finished.error).toBeNull();
  expect(scored.finished.text).toBe(plain.finished.text);
  expect(scored.finished.text.startsWith(", a girl.")).toBe(true);
  expect(scoresOf(scored)).toEqual(scoresOf(plain));
  expect(scoresOf(scored)).toHaveLength(1);
});

test("beside a mod that works with layers nothing is scored, which a sentence says", async () => {
  const steering = inProcessMod(
    `import { mod } from "midtoken/mod";
export default mod({ layers: [1], prefilled: (event, actions) => actions.steer({ layer: 1, vector: new Float32Array(event.hiddenSize), scale: 1 }) });`,
    model.tokenizer,
  );
  const scoring = inProcessMod(scoredFlowSource, model.tokenizer);
  const { finished } = await model.run(settings, [steering, scoring]);
  expect(finished.reason).toBe("error");
  expect(finished.error?.message).toContain(
    "The continuations were not scored: scoring does not work in a request whose mods read or steer layers. Score in a request without these mods.",
  );
});
