/** Cases of the suite of OpenAI's client: embeddings. */
import { BadRequestError } from "openai";
import type { SuiteCase } from "./suite-case.ts";
import { assertEqualJson, check, expectThrown } from "./suite-check.ts";

const texts = ["Once upon a time", "The cat sat on the mat."];

export function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

export const embeddingCases: readonly SuiteCase[] = [
  {
    name: "embeddings: of a text and of several, in both formats",
    async run({ client, model }) {
      // Unless a format is given, the client requests base64 and decodes it.
      const several = await client.embeddings.create({ model, input: texts, user: "Ada" });
      assertEqualJson([several.object, several.model], ["list", model], "object and model");
      assertEqualJson(
        several.data.map(({ index, object }) => [index, object]),
        [
          [0, "embedding"],
          [1, "embedding"],
        ],
        "the places",
      );
      const floats = await client.embeddings.create({
        model,
        input: texts[1] ?? "",
        encoding_format: "float",
      });
      const [first, second] = several.data.map(({ embedding }) => [...embedding]);
      const alone = floats.data[0]?.embedding ?? [];
      check(first !== undefined && second !== undefined && first.length === second.length, "two vectors");
      check(Math.abs(cosine(alone, second) - 1) < 1e-4, "the same vector in the other format, and alone");
      check(cosine(first, second) < 0.999, "another vector for another text");
      for (const vector of [first, second, alone]) {
        const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
        check(Math.abs(length - 1) < 1e-4, `a vector of length 1, not ${length}`);
      }
      check(several.usage.prompt_tokens > floats.usage.prompt_tokens, "the tokens of both texts");
      assertEqualJson(floats.usage.total_tokens, floats.usage.prompt_tokens, "all tokens");
    },
  },
  {
    name: "embeddings: of token ids",
    async run({ client, model }) {
      const ids = [1, 403, 407, 261, 378];
      const { data, usage } = await client.embeddings.create({ model, input: [ids, ids.slice(0, 1)] });
      assertEqualJson([data.length, usage.prompt_tokens], [2, 6], "vectors and tokens");
      const alone = await client.embeddings.create({ model, input: ids, encoding_format: "float" });
      const [one, other] = [data[0]?.embedding ?? [], alone.data[0]?.embedding ?? []];
      check(Math.abs(cosine([...one], other) - 1) < 1e-4, "the same vector alone");
    },
  },
  {
    name: "embeddings: what is refused",
    async run({ client, model, mods }) {
      const input = texts[0] ?? "";
      const wrong: readonly (readonly [fields: object, param: string])[] = [
        [{ input: "" }, "input"],
        [{ input: [] }, "input"],
        [{ input: [input, ""] }, "input[1]"],
        [{ input: [[1], [-1]] }, "input[1]"],
        [{ input: [1_000_000] }, "input"],
        [{ input: "Once upon a time. ".repeat(400) }, "input"],
        [{ input: [input, "Once upon a time. ".repeat(400)] }, "input[1]"],
        [{ input: "Once upon a time. ".repeat(300_000) }, "input"],
        [{ input: Array(2049).fill("a") }, "input"],
        [{ dimensions: 7 }, "dimensions"],
        [{ encoding_format: "int8" }, "encoding_format"],
        [{ model: `${model}/${mods.noLily}` }, "model"],
        [{ inputs: input }, "inputs"],
      ];
      for (const [fields, param] of wrong) {
        const ask = () => client.post("/embeddings", { body: { model, input, ...fields } });
        const error = await expectThrown(ask, BadRequestError);
        assertEqualJson(
          [error.status, error.param],
          [400, param],
          `status and field of ${JSON.stringify(fields).slice(0, 60)}`,
        );
      }
      const { data } = await client.embeddings.create({ model, input });
      const dimensions = data[0]?.embedding.length ?? 0;
      assertEqualJson(
        (await client.embeddings.create({ model, input, dimensions })).data[0]?.embedding.length,
        dimensions,
        "the model's own size",
      );
    },
  },
];
