/** For any weights, an answer that must be calls is read back as valid calls: the tests on one tokenizer. */
import Ajv from "ajv";
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../sdk/request.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import type { ToolFormat } from "../format.ts";
import { type RequestCaseResult, randomModel, recitingModel, runRequestCase } from "./answer.ts";
import { encodeSpecial, families } from "./families.ts";
import { tools } from "./tools.ts";

const greedy = { ...defaultSampling, temperature: 0 };

const ajv = new Ajv({ strict: false });
const validators = new Map(
  tools.map(({ function: { name, parameters } }) => [
    name,
    ajv.compile(parameters ?? { type: "object", maxProperties: 0 }),
  ]),
);

/** Expects valid calls at the end of an answer: a known tool, arguments that fit its schema, and text that parses. */
function expectCalls({ finished, text }: RequestCaseResult, format: ToolFormat): void {
  expect(finished.error).toBe(null);
  expect(finished.reason).toBe("tool_calls");
  expect(finished.toolCalls.length).toBeGreaterThan(0);
  for (const { function: called, id } of finished.toolCalls) {
    expect(id).toMatch(/^call_/);
    const validate = validators.get(called.name);
    expect(validate?.(JSON.parse(called.arguments)), `${called.name} ${called.arguments}`).toBe(true);
  }
  expect(format.parse(text)?.calls).toEqual(finished.toolCalls.map((call) => call.function));
}

/** @param load opens the tokenizer with special tokens renamed. */
export function testEnforcement(load: (renamed: Record<string, string>) => Tokenizer): void {
  describe.each(families)("$format.name", ({ format, renamed }) => {
    const tokenizer = load(renamed);
    const ask = (seed: number, rest: Partial<Parameters<typeof runRequestCase>[0]>) =>
      runRequestCase({
        model: randomModel(tokenizer, seed),
        tokenizer,
        format,
        tools,
        request: { seed },
        ...rest,
      });

    test.each([1, 2])("random weights, a call is required (%i)", async (seed) => {
      expectCalls(await ask(seed, { toolChoice: "required" }), format);
    });

    test("a named function is called once", async () => {
      const said = await ask(7, { toolChoice: { type: "function", function: { name: "set-lights" } } });
      expectCalls(said, format);
      expect(said.finished.toolCalls.map((call) => call.function.name)).toEqual(["set-lights"]);
    });

    test("the same request again gives the same answer", async () => {
      const [one, other] = [
        await ask(9, { toolChoice: "required" }),
        await ask(9, { toolChoice: "required" }),
      ];
      expect(other.finished.toolCalls).toEqual(one.finished.toolCalls);
      expect(other.tokens).toEqual(one.tokens);
    });

    test("by itself the model begins a call, which is then kept to the tools", async () => {
      const written = format.write([
        { name: "get_weather", arguments: '{"city": "Oslo", "unit": "kelvin"}' },
      ]);
      const before = format.name === "llama3" || format.name === "plain" ? "" : "I look.\n";
      const wish = encodeSpecial(tokenizer, before + written, format.markers);
      const prompt = tokenizer.encode("Rain?");
      const said = await ask(1, {
        model: recitingModel(tokenizer, prompt.length, wish),
        prompt,
        request: { sampling: greedy },
      });
      expectCalls(said, format);
      expect(said.text.startsWith(before)).toBe(true);
      expect(said.finished.toolCalls[0]?.function.name).toBe("get_weather");
      expect(JSON.parse(said.finished.toolCalls[0]?.function.arguments ?? "").city).toBe("Oslo");
    });

    test("free text stays as it is, and nothing is recorded as changed", async () => {
      const text = 'It may rain: <tool> {"name" [get_weather("Oslo")] <|tool|>.';
      const prompt = tokenizer.encode("Rain?");
      const wish = tokenizer.encode(text);
      const said = await ask(1, {
        model: recitingModel(tokenizer, prompt.length, wish),
        prompt,
        request: { sampling: greedy },
      });
      expect(said.finished).toMatchObject({ reason: "stop", text, toolCalls: [] });
      expect(said.tokens.slice(0, -1)).toEqual(wish);
      expect(said.records.filter(({ type }) => type === "adjusted")).toEqual([]);
    });

    test('with "none" no call begins', async () => {
      const written = format.write([{ name: "stop", arguments: "{}" }]);
      const prompt = tokenizer.encode("Rain?");
      const said = await ask(1, {
        model: recitingModel(tokenizer, prompt.length, encodeSpecial(tokenizer, written, format.markers)),
        prompt,
        toolChoice: "none",
        request: { sampling: greedy, maxTokens: 40 },
      });
      expect(["stop", "length"]).toContain(said.finished.reason);
      expect(said.finished.toolCalls).toEqual([]);
      expect(format.parse(said.text)).toBe(null);
    });

    test("where the tokens run out the reason is the length", async () => {
      const said = await ask(2, { toolChoice: "required", request: { seed: 2, maxTokens: 3 } });
      expect(said.finished).toMatchObject({ reason: "length", toolCalls: [], error: null });
      expect(said.tokens).toHaveLength(3);
    });
  });
}
