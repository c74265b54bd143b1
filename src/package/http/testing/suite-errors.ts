/** Cases of the suite of OpenAI's client: errors of each kind, refused fields, and aborted requests. */
import {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  BadRequestError,
  NotFoundError,
  UnprocessableEntityError,
} from "openai";
import { decodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { type RefusalCase, refusalCases, validRequestBodies } from "../../api/testing/refusals.ts";
import type { SuiteCase } from "./suite-case.ts";
import { assertEqualJson, check, expectThrown } from "./suite-check.ts";

const messages = [{ role: "user" as const, content: "Once upon a time" }];

const paths = { chat: "/chat/completions", text: "/completions", responses: "/responses" };

const refusalCase = ({ what, call, body, param }: RefusalCase): SuiteCase => ({
  name: `refused: ${what}`,
  async run({ client, model }) {
    const ask = () => client.post(paths[call], { body: { model, ...validRequestBodies[call], ...body } });
    const error = await expectThrown(ask, BadRequestError);
    assertEqualJson([error.status, error.param], [400, param], "status and field");
    check(error.message.includes(param), `a message that names ${param}`);
  },
});

export const errorCases: readonly SuiteCase[] = [
  ...refusalCases.map(refusalCase),
  {
    name: "errors: a model, a mod, an address that are not there",
    async run({ client, model }) {
      const ask = (name: string) => () =>
        client.chat.completions.create({ model: name, messages, max_tokens: 1 });
      const noModel = await expectThrown(ask("gpt-4"), NotFoundError);
      assertEqualJson([noModel.status, noModel.code], [404, "model_not_found"], "status and code");
      check(noModel.message.includes(model), "a message that names what there is");
      assertEqualJson(
        (await expectThrown(ask(`${model}/nobody`), NotFoundError)).code,
        "mod_not_found",
        "the code",
      );
      await expectThrown(() => client.models.retrieve("gpt-4"), NotFoundError);
      const noCall = await expectThrown(() => client.files.list(), NotFoundError);
      check(noCall.message.includes("/v1/chat/completions"), "a message that names what there is");
    },
  },
  {
    name: "errors: a prompt that is longer than the context; a schema that cannot be kept to",
    async run({ client, model }) {
      const long = [{ role: "user" as const, content: "Once upon a time. ".repeat(400) }];
      const tooLong = await expectThrown(
        () => client.chat.completions.create({ model, messages: long }),
        BadRequestError,
      );
      assertEqualJson(tooLong.code, "context_length_exceeded", "the code");
      const schema = { type: "object", properties: { a: { type: "nothing" } } };
      const response_format = { type: "json_schema" as const, json_schema: { name: "x", schema } };
      const wrong = await expectThrown(
        () => client.chat.completions.create({ model, messages, response_format, stream: true }),
        BadRequestError,
      );
      check(wrong.param?.includes("response_format") === true, "the schema's field");
    },
  },
  {
    name: "errors: a mod that fails, before and in the middle of a stream",
    async run({ client, model, mods }) {
      const request = { model: `${model}/${mods.broken}`, messages, max_tokens: 20 };
      const whole = await expectThrown(
        () => client.chat.completions.create(request),
        UnprocessableEntityError,
      );
      assertEqualJson([whole.status, whole.code], [422, "mod_failed"], "status and code");
      check(whole.message.includes(mods.broken), "a message that names the mod");
      let text = "";
      // With no holdback, some of the text arrives before the error.
      const own = { midtoken: { holdback: 0 } };
      const read = async () => {
        for await (const { choices } of await client.chat.completions.create({
          ...request,
          ...own,
          stream: true,
        }))
          text += choices[0]?.delta.content ?? "";
      };
      const streamed = await expectThrown(read, APIError);
      assertEqualJson([streamed.code, text !== ""], ["mod_failed", true], "the code, after some text");
    },
  },
  {
    name: "abort: before, while it is answered, and in a stream, whose request ends",
    async run({ client, model }) {
      const request = { model, messages, max_tokens: 450, temperature: 0, logit_bias: { 2: -100 } };
      const abort = new AbortController();
      const whole = client.chat.completions.create(request, { signal: abort.signal });
      abort.abort();
      await expectThrown(() => whole, APIUserAbortError);

      const { data, response } = await client.chat.completions
        .create({ ...request, stream: true })
        .withResponse();
      for await (const chunk of data) {
        if ((chunk.choices[0]?.delta.content ?? "") !== "") data.controller.abort();
      }
      const id = response.headers.get("x-request-id");
      assertEqualJson(
        await reasonOf(() => client.get(`/requests/${id}/trace`, { __binaryResponse: true })),
        "cancelled",
        "the reason",
      );
    },
  },
];

/** The reason why a request ended, from its trace, which exists after the end. */
async function reasonOf(ask: () => PromiseLike<unknown>): Promise<string> {
  for (;;) {
    try {
      const file = (await ask()) as Response;
      const { trace } = decodeTraceFile(new Uint8Array(await file.arrayBuffer()));
      const last = trace.records.at(-1);
      return last?.type === "finished" ? last.reason : "none";
    } catch (error) {
      if (error instanceof APIConnectionError || !(error instanceof APIError) || error.status !== 409)
        throw error;
    }
  }
}
