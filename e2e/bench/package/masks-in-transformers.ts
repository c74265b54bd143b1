/**
 * Masks as a LogitsProcessor in @huggingface/transformers, on SmolLM2-135M-Instruct: answers that are valid, and what of a
 * token's time the masks take, beside @huggingface/transformers-structured-output, which takes turns with ours.
 */
import { Ajv } from "ajv";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { openBenchPage, servedFolder } from "../decode/browser.ts";
import { atMost, type BenchRow, exactly, figure, missingRows } from "../machine.ts";
import { median } from "../statistics.ts";
import type { Answer, Asked, Engine, MasksBench } from "./masks-page.ts";

declare global {
  interface Window {
    masksBench: MasksBench;
  }
}

/** Every text and list has a longest length, or a sampled answer need not end within the limit. The peer refuses formats. */
const schema = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 40 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    email: { type: "string", maxLength: 60 },
    role: { enum: ["admin", "editor", "viewer"] },
    active: { type: "boolean" },
    tags: { type: "array", items: { type: "string", maxLength: 20 }, maxItems: 4 },
  },
  required: ["name", "age", "email", "role", "active", "tags"],
  additionalProperties: false,
};

/** More than the longest answer takes: 180 characters of the schema's own, and 180 of texts, of which some take 3 tokens. */
const maxTokens = 700;
const answers = 100;
const rounds = 10;
const warmUps = 2;

const people = ["Ada", "Björn", "Chen", "Dolores", "Emeka", "Fatima", "Goran", "Hana", "Ines", "Jō"];
const jobs = ["nurse", "pilot", "baker", "judge", "painter", "farmer", "tutor", "sailor", "chemist", "poet"];

function contentOf(index: number): string {
  const person = people[index % people.length];
  const job = jobs[Math.floor(index / people.length) % jobs.length];
  return `Write the user record of ${person}, a ${job}, as JSON.`;
}

export async function masksInTransformersRows(): Promise<BenchRow[]> {
  const folder = modelFolder("smollm2-135m-instruct");
  if (folder === null) return missingRows("masks as a LogitsProcessor in @huggingface/transformers, SmolLM2");
  const { page, close } = await openBenchPage({
    folders: folder === null ? [] : [folder],
    at: { path: "package/masks.html", global: "masksBench" },
  });
  try {
    const path = servedFolder(folder).replace(/^\/|\/$/g, "");
    await page.evaluate(([a, b, c]) => window.masksBench.open(a, b, c), [path, "int8", schema] as const);
    const ask = (asked: Asked) => page.evaluate((given) => window.masksBench.ask(given), asked);
    return [...(await validRows(ask)), ...(await timeRows(ask))];
  } finally {
    await close();
  }
}

type Ask = (asked: Asked) => Promise<Answer>;

async function validRows(ask: Ask): Promise<BenchRow[]> {
  const isValid = new Ajv().compile(schema);
  const texts: string[] = [];
  for (let index = 0; index < answers; index++) {
    const { text } = await ask({ engine: "ours", content: contentOf(index), temperature: 0.8, maxTokens });
    texts.push(text);
  }
  const valid = texts.filter((text) => isValidJson(text, isValid));
  const wrong = texts.find((text) => !isValidJson(text, isValid));
  if (wrong !== undefined) console.error(`Not valid: ${wrong}`);
  if (new Set(texts).size < answers / 2) throw new Error("Sampled answers were too much alike to count.");
  const name = "masks in transformers.js, six-field schema, SmolLM2, sampled at 0.8: valid JSON";
  return [exactly(name, valid.length, `of ${answers}`, answers)];
}

function isValidJson(text: string, isValid: (value: unknown) => boolean): boolean {
  try {
    return isValid(JSON.parse(text));
  } catch {
    return false;
  }
}

async function timeRows(ask: Ask): Promise<BenchRow[]> {
  const engines: readonly Engine[] = ["ours", "ours, a new strategy", "ours, any order", "structured-output"];
  const all = new Map<Engine, Answer[]>(engines.map((engine) => [engine, []]));
  for (let round = 0; round < warmUps + rounds; round++) {
    for (let turn = 0; turn < engines.length; turn++) {
      // Another one begins each round, so that none always follows the same other.
      const engine = engines[(round + turn) % engines.length] as Engine;
      const answer = await ask({ engine, content: contentOf(round), temperature: 0, maxTokens });
      if (round >= warmUps) all.get(engine)?.push(answer);
    }
  }
  const of = (engine: Engine, value: (answer: Answer) => number) =>
    median((all.get(engine) ?? []).map(value));
  const share = (engine: Engine) => 100 * of(engine, ({ maskMs, tokenMs }) => maskMs / tokenMs);
  const same = (all.get("ours, any order") ?? []).filter(
    ({ text }, round) => text === all.get("structured-output")?.[round]?.text,
  ).length;
  const name = (engine: Engine) =>
    engine === "structured-output" ? "transformers-structured-output" : `masks in transformers.js, ${engine}`;
  return [
    ...engines.flatMap((engine) => [
      engine === "structured-output"
        ? figure(`${name(engine)}: of the time per token`, share(engine), "%")
        : atMost(`${name(engine)}: of the time per token`, share(engine), "%", 3),
      figure(`${name(engine)}: per token`, 1000 * of(engine, ({ maskMs }) => maskMs), "µs"),
      figure(
        `${name(engine)}: made, and its first mask`,
        of(engine, ({ firstMs }) => firstMs),
        "ms",
      ),
    ]),
    figure(
      "a token of generate(), with ours",
      of("ours", ({ tokenMs }) => tokenMs),
      "ms",
    ),
    figure("greedy answers that both write alike, where any order is allowed", same, `of ${rounds}`),
  ];
}
