/** Forward passes for tool calls with fixed schemas: what can only be said in one way is not asked of the model. */
import { modelFolder } from "../../../scripts/models-folder.ts";
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import { scriptedModel } from "../../../src/core/decoder/testing/scripted-model.ts";
import { defaultSampling, type TokenId, type ToolDefinition } from "../../../src/core/sdk/request.ts";
import type { Tokenizer } from "../../../src/core/sdk/tokenizer.ts";
import { testTokenizerData } from "../../../src/core/tokenizer/testing/test-tokenizers.ts";
import type { ToolFormat } from "../../../src/core/tools/format.ts";
import { createGraniteFormat } from "../../../src/core/tools/granite.ts";
import { hermesFormat } from "../../../src/core/tools/hermes.ts";
import { llama3Format, plainFormat } from "../../../src/core/tools/leading-object.ts";
import { lfm2Format } from "../../../src/core/tools/lfm2.ts";
import { offerTools } from "../../../src/core/tools/offer-tools.ts";
import { renamedTokenizer, runRequestCase } from "../../../src/core/tools/testing/answer.ts";
import { hubFolderAddress } from "../../../src/runtime/engine/base/hub-folder.ts";
import { loadModel, type ModelBundle } from "../../../src/runtime/engine/load/load-model.ts";
import { startModelHub } from "../../../src/runtime/engine/testing/model-hub.ts";
import { atMost, type BenchRow, missingRows } from "../machine.ts";

/** A tool whose arguments are all required, so that only their values are open. */
function tool(name: string, properties: Record<string, object>): ToolDefinition {
  const required = Object.keys(properties);
  const parameters = { type: "object", properties, required, additionalProperties: false };
  return { type: "function", function: { name, parameters } };
}

const text = { type: "string" };
const whole = { type: "integer" };
const tools = [
  tool("get_current_weather", { location: text, unit: { enum: ["celsius", "fahrenheit"] } }),
  tool("book_flight", {
    origin: text,
    destination: text,
    departure_date: { type: "string", format: "date" },
    passengers: whole,
    cabin: { enum: ["economy", "premium_economy", "business", "first"] },
  }),
  tool("create_calendar_event", {
    title: text,
    start: text,
    duration_minutes: whole,
    is_private: { type: "boolean" },
  }),
  tool("convert_currency", { amount: { type: "number" }, from_currency: text, to_currency: text }),
];

/** Calls as a model would want to make them. */
const wishes = [
  { location: "San Francisco, CA", unit: "celsius" },
  { origin: "Oslo", destination: "Reykjavik", departure_date: "2026-03-14", passengers: 2, cabin: "economy" },
  { title: "Dentist", start: "Tuesday at 9:30", duration_minutes: 45, is_private: true },
  { amount: 129.95, from_currency: "EUR", to_currency: "NOK" },
];

/** A model that knows what it wants to say, however what stands there was cut into tokens. */
function knowingModel(tokenizer: Tokenizer, promptLength: number, wish: string): LanguageModel {
  return scriptedModel({
    vocabularySize: tokenizer.vocabSize,
    endOfSequence: tokenizer.eosTokenIds,
    logits: (context) => {
      const said = tokenizer.decode(context.slice(promptLength), { specialTokens: "parse" });
      const logits = new Float32Array(tokenizer.vocabSize);
      const next = tokenizer.encode(wish.slice(said.length))[0] ?? tokenizer.eosTokenIds[0] ?? 0;
      logits[next] = 30;
      return logits;
    },
  });
}

/** Forward passes per token. */
const mostPasses = 0.5;

interface Count {
  passes: number;
  tokens: number;
}

async function count(
  format: ToolFormat,
  tokenizer: Tokenizer,
  run: (tool: ToolDefinition, wish: string) => Promise<{ model: LanguageModel; prompt: readonly TokenId[] }>,
): Promise<Count> {
  const counted: Count = { passes: 0, tokens: 0 };
  for (const [index, tool] of tools.entries()) {
    const { name } = tool.function;
    // Spaced as the constraint writes it: one blank after each colon and comma.
    const wanted = JSON.stringify(wishes[index]).replaceAll(/(?<=["\d\w]),(?=")|(?<="):/g, "$& ");
    const { model, prompt } = await run(tool, format.write([{ name, arguments: wanted }]));
    const toolChoice = { type: "function", function: { name } };
    const request = { maxTokens: 200, sampling: { ...defaultSampling, temperature: 0 } };
    const { finished } = await runRequestCase({
      model,
      tokenizer,
      format,
      tools,
      toolChoice,
      prompt,
      request,
    });
    if (finished.reason !== "tool_calls") {
      throw new Error(
        `${format.name}, ${name}: ended with ${finished.reason} ${finished.error?.message ?? ""}`,
      );
    }
    counted.passes += finished.usage.forwardPasses;
    counted.tokens += finished.usage.completionTokens;
  }
  return counted;
}

/** To three digits. */
function share({ passes, tokens }: Count): number {
  return Math.round((1000 * passes) / tokens) / 1000;
}

const rowName = (name: string, { passes, tokens }: Count) =>
  `tool calls, ${name}: forward passes per token (${passes} of ${tokens})`;

/**
 * Each format on SmolLM2's tokenizer (the terser a family writes, the less of a call is fixed), all of them together, and
 * SmolLM2-135M-Instruct itself where its folder is there: each against the limit.
 */
export async function toolCallRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const all: Count = { passes: 0, tokens: 0 };
  for (const { format, renamed } of families) {
    const tokenizer = renamedTokenizer(testTokenizerData("smollm2-135m"), renamed);
    const prompt = tokenizer.encode("Go on.");
    const counted = await count(format, tokenizer, async (_tool, wish) => ({
      model: knowingModel(tokenizer, prompt.length, wish),
      prompt,
    }));
    rows.push(atMost(rowName(format.name, counted), share(counted), "", mostPasses));
    all.passes += counted.passes;
    all.tokens += counted.tokens;
  }
  rows.push(atMost(rowName("all formats", all), share(all), "", mostPasses));
  const instruct = modelFolder("smollm2-135m-instruct");
  const last =
    instruct === null ? missingRows("tool calls, SmolLM2-135M-Instruct") : [await realRow(instruct)];
  return [...rows, ...last];
}

const families: readonly { format: ToolFormat; renamed: Record<string, string> }[] = [
  { format: hermesFormat, renamed: {} },
  { format: llama3Format, renamed: {} },
  {
    format: lfm2Format,
    renamed: { "<repo_name>": "<|tool_call_start|>", "<reponame>": "<|tool_call_end|>" },
  },
  { format: createGraniteFormat("<|tool_call|>"), renamed: { "<repo_name>": "<|tool_call|>" } },
  { format: plainFormat, renamed: {} },
];

async function realRow(folder: string): Promise<BenchRow> {
  const id = "bench/smollm2";
  const hub = await startModelHub({ [id]: folder });
  let bundle: ModelBundle | null = null;
  try {
    const dtype = { webgpu: "int8", wasm: "int8" };
    bundle = await loadModel(
      { id, url: hubFolderAddress(id, "main", hub.host), revision: "main", dtype },
      "wasm",
    );
    const { model, tokenizer, tokenizerData, formatPrompt } = bundle;
    const template = String(tokenizerData.tokenizerConfig.chat_template);
    const counted = await count(plainFormat, tokenizer, async (_tool, wish) => {
      const content = `Please do this: ${wish}`;
      const offered = offerTools(template, plainFormat, [{ role: "user", content }], tools);
      return { model, prompt: formatPrompt(offered.messages, offered.tools) };
    });
    return atMost(rowName("SmolLM2-135M-Instruct", counted), share(counted), "", mostPasses);
  } finally {
    await bundle?.model.dispose();
    await hub.close();
  }
}
