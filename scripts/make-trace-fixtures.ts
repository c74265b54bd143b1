/**
 * `npx tsx scripts/make-trace-fixtures.ts`: records the fixtures of the trace version on the bundled model and writes the
 * missing ones to src/core/trace/fixtures/vN. The script never overwrites a fixture. Until version N is released, a change of the
 * format removes the folder vN and runs the script again; a released folder stays as it is.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { openStoryteller, type StorySettings, storyMod } from "../e2e/bench/record-story.ts";
import { encodeTraceFile } from "../src/core/trace/codec/codec.ts";
import { decodePermalink, encodePermalink } from "../src/core/trace/file/permalink.ts";
import type { LinkParts } from "../src/core/trace/file/project.ts";
import { TRACE_VERSION, type Trace } from "../src/core/trace/format/format.ts";
import { traceOf } from "../src/core/trace/format/trace-of.ts";
import { createTraceModel } from "../src/core/trace/model/trace-model.ts";
import { transcript } from "../src/core/trace/model/transcript.ts";
import { withSampleLayers } from "../src/core/trace/testing/sample-layers.ts";
import { randomDistribution, sampleTrace, seededRandom } from "../src/core/trace/testing/sample-trace.ts";
import { steeredTrace } from "../src/core/trace/testing/steered-trace.ts";
import { pieceTokens, story } from "../src/core/trace/testing/story-text.ts";
import { createTraceBuilder, requestRecord } from "../src/core/trace/testing/trace-builder.ts";

const mod = (name: string, body: string) => ({
  name,
  source: `import { mod } from "midtoken/mod";\n\nexport default mod({\n${body}\n});\n`,
});
const whenAdded = (step: number, answer: string) =>
  `  added(event, actions) {\n    if (!event.forced && event.step === ${step}) return ${answer};\n  },`;

const requests: Readonly<Record<string, StorySettings>> = {
  plain: { mods: [], maxTokens: 24, sampling: { temperature: 0 } },
  "forced-and-backtracked": {
    mods: [storyMod],
    maxTokens: 70,
    sampling: { temperature: 0.8, topP: 0.95 },
    seed: 2,
  },
  "several-mods-and-a-fault": {
    mods: [
      mod("first", whenAdded(5, 'actions.forceTokens(" and")')),
      mod("second", whenAdded(5, 'actions.forceTokens(" or")')),
      mod(
        "faulty",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template in the mod.
        "  sampled(event) {\n    if (event.step === 8) throw new TypeError(`no ${event.text}`);\n  },",
      ),
    ],
    maxTokens: 14,
    sampling: { temperature: 0, repetitionPenalty: 1.1, logitBias: { 30: -1.5, 31: 2 } },
  },
  "tool-calls": {
    mods: [
      mod(
        "weather",
        '  added(event, actions) {\n    if (event.step === 3) return actions.toolCalls({ name: "get_weather", arguments: { city: "Paris" } });\n  },',
      ),
    ],
    maxTokens: 12,
  },
  multibyte: {
    mods: [
      mod(
        "faces",
        `${whenAdded(2, 'actions.forceTokens(" 🙂 café 日本語")')}\n  sampled(event) {\n    console.log("🙂", event.text);\n  },`,
      ),
    ],
    maxTokens: 40,
    prompt: "Once upon a time 🙂",
    stop: ["\n", "。"],
  },
  "force-output": {
    mods: [mod("censor", whenAdded(4, 'actions.forceOutput(" The end.")'))],
    maxTokens: 12,
  },
  "prompt-replaced": {
    mods: [
      mod(
        "other-prompt",
        '  prefilled(event, actions, tokenizer) {\n    return actions.adjustPrefill(tokenizer.encode("One day, a cat"), { maxSteps: 6 });\n  },',
      ),
    ],
    maxTokens: 12,
  },
  "json-answer": {
    mods: [],
    maxTokens: 40,
    sampling: { temperature: 0.7 },
    answer: {
      responseFormat: {
        type: "json_schema",
        json_schema: {
          name: "answer",
          schema: {
            type: "object",
            properties: { animal: { enum: ["dog", "cat"] }, big: { type: "boolean" } },
            required: ["animal", "big"],
            additionalProperties: false,
          },
        },
      },
    },
  },
  "one-named-call": {
    mods: [],
    maxTokens: 60,
    answer: {
      tools: [
        {
          type: "function",
          function: {
            name: "feed",
            description: "Feeds an animal",
            parameters: {
              type: "object",
              properties: { animal: { enum: ["dog", "cat"] } },
              required: ["animal"],
              additionalProperties: false,
            },
          },
        },
      ],
      toolChoice: { type: "function", function: { name: "feed" } },
      parallelToolCalls: false,
    },
  },
  "ended-by-a-mod": {
    mods: [mod("strict", whenAdded(3, 'actions.error("three words are enough")'))],
    maxTokens: 12,
  },
};

const linkParts: Readonly<Record<string, Partial<LinkParts>>> = {
  default: {},
  everything: { alternatives: "all", draws: true, timings: true },
  gated: { alternatives: "gated", draws: true },
  "text-only": { probabilities: false, tokenIds: false, logs: false, prompt: false },
};

/** Cases that need a longer context than the bundled model has. */
function hiddenInLongPrompt(): Trace {
  const builder = createTraceBuilder(
    requestRecord({
      maxTokens: 4000,
      deadlines: { load: 2000, prefilled: 600_000, event: 250 },
      mods: [{ name: "asks", source: "// asks", entry: "asks" }],
    }),
  );
  const random = seededRandom(5);
  const [first, second] = pieceTokens(" the cat");
  if (!first || !second) throw new Error("The story's pieces are gone.");
  builder.prefill(pieceTokens(story));
  const likely = ({ entropy, top } = randomDistribution(random, first)) => ({ entropy, top });
  for (const count of [512, 512]) builder.forward(null, count);
  builder.forward(likely(), 80);
  builder.sample(first, {});
  builder.add([first], "sampled");
  builder.call(0, "added", { type: "forceTokens", tokens: [second.token], text: second.text, cut: 0 });
  builder.add([second], "forced", { hidden: true });
  builder.forward(likely());
  builder.call(0, "added", { type: "backtrack", count: 1, tokens: [], text: "", cut: 0 });
  builder.backtrack(0, 1, 0);
  return builder.finish("length", {
    lengthLimit: "context",
    usage: {
      promptTokens: 1104,
      completionTokens: 1,
      hiddenTokens: 1,
      reusedTokens: 0,
      forwardPasses: 4,
    },
  });
}

/** A run that continued with a different mod than before its branch point. */
function wentOnWithChangedMods(): Trace {
  const mods = [
    { name: "names", source: "// as it is now" },
    { name: "names", source: "// as it was" },
  ];
  const builder = createTraceBuilder(
    requestRecord({
      mods,
      branch: {
        requestId: "req_0a1b2c3d",
        index: 2,
        isChosen: false,
        caughtUp: 6,
        parentMods: 1,
        difference: { record: 4, mod: 0, now: "answered nothing", recorded: 'answered forceTokens " the"' },
      },
    }),
  );
  const [first, second] = pieceTokens(" the cat");
  if (!first || !second) throw new Error("The story's pieces are gone.");
  const random = seededRandom(6);
  builder.prefill(pieceTokens("Once upon a time"));
  const { entropy, top } = randomDistribution(random, first);
  builder.forward({ entropy, top });
  builder.sample(first, {});
  builder.add([first], "sampled");
  builder.call(1, "added", { type: "forceTokens", tokens: [first.token], text: first.text, cut: 0 });
  builder.add([first], "forced", { mod: 1 });
  builder.call(0, "added", { type: "forceTokens", tokens: [second.token], text: second.text, cut: 0 });
  builder.add([second], "forced", { mod: 0 });
  return builder.finish("stop");
}

const folder = `src/core/trace/fixtures/v${TRACE_VERSION}`;

function write(name: string, content: string | Uint8Array): void {
  const path = `${folder}/${name}`;
  if (existsSync(path)) return;
  writeFileSync(path, content);
  console.log(`wrote ${path}`);
}

/** A link, and the digest of the JSON that the link must open as. */
function linkFixture(trace: Trace, parts: Partial<LinkParts>) {
  const { fragment } = encodePermalink(trace, parts);
  const opened = decodePermalink(fragment);
  const model = createTraceModel(opened.notes);
  model.append(opened.trace.records);
  const digest = createHash("sha256").update(JSON.stringify(opened.trace)).digest("hex");
  return { fragment, notes: opened.notes, transcript: transcript(model), digest };
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const traces: Record<string, Trace> = {
    empty: createTraceBuilder(requestRecord()).finish("cancelled"),
    signed: createTraceBuilder(requestRecord({ maker: "Ada “the first” 🙂" })).finish("cancelled"),
    "cut-off": traceOf({ records: sampleTrace({ tokens: 12 }).records.slice(0, -2) }),
    "hidden-in-a-long-prompt": hiddenInLongPrompt(),
    "went-on-with-changed-mods": wentOnWithChangedMods(),
    "steered-and-patched": steeredTrace(),
    "with-layers": withSampleLayers(sampleTrace({ tokens: 12 })),
  };
  const storyteller = await openStoryteller();
  for (const [name, settings] of Object.entries(requests)) traces[name] = await storyteller.record(settings);
  await storyteller.dispose();
  for (const [name, trace] of Object.entries(traces)) {
    write(`${name}.trace.json`, `${JSON.stringify(trace)}\n`);
    write(`${name}.trace`, encodeTraceFile(trace));
    const links = Object.entries(linkParts).map(([kind, parts]) => [kind, linkFixture(trace, parts)]);
    write(`${name}.links.json`, `${JSON.stringify(Object.fromEntries(links), null, 2)}\n`);
  }
}

await main();
