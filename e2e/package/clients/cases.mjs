/** What the cases of all clients share: their models, and checks that also run in a browser. */

/** The bundled model for texts, SmolLM2 for tools. */
export const story = "stories260k";
export const instruct = "smollm2-135m-instruct";

export const prompt = "Once upon a time there was a girl";
export const question = "How is the weather in Oslo?";
export const weatherSchema = {
  type: "object",
  properties: { city: { type: "string", enum: ["Oslo", "Rome"] } },
  required: ["city"],
  additionalProperties: false,
};
export const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The sentence of the 400 for a picture, in a chat call and in a response. */
export const noPictures = /image_url.*text/;
export const noInputPictures = /input_image.*text/;

export function check(holds, what) {
  if (!holds) throw new Error(`Expected ${what}.`);
}

export function checkText(text, what = "a text") {
  check(typeof text === "string" && text.trim().length > 3, `${what}, not ${JSON.stringify(text)}`);
}

export function checkCity(value) {
  check(["Oslo", "Rome"].includes(value?.city), `{ city: Oslo or Rome }, not ${JSON.stringify(value)}`);
}

export async function joined(stream, textOf) {
  let text = "";
  for await (const piece of stream) text += textOf(piece) ?? "";
  return text;
}

/**
 * Runs the cases of a client one after the other.
 * @param cases `{ tried, run, model, refused }`: `run` rejects if the client fails; with `refused`, a pattern, it has to reject so.
 * @param context `baseURL`, `fetch`, and `models`, the ids of the loaded models: cases of other models are left out.
 * @returns for each case `tried`, `ok`, and `said`: "ok", the sentence of the expected refusal, or what went wrong.
 */
export async function runCases(cases, context) {
  const results = [];
  for (const { tried, run, model = story, refused } of cases) {
    if (!context.models.includes(model)) continue;
    results.push({ tried, ...(await outcome(() => run(context), refused)) });
  }
  return results;
}

async function outcome(run, refused) {
  try {
    await run();
    return refused ? { ok: false, said: "It was not refused." } : { ok: true, said: "ok" };
  } catch (error) {
    const said = sentenceOf(error);
    return { ok: refused?.test(said) ?? false, said };
  }
}

/** Clients wrap errors: the innermost message is the server's sentence. */
function sentenceOf(error) {
  const inner = error?.lastError ?? error?.cause;
  if (inner instanceof Error) return sentenceOf(inner);
  const status = error?.statusCode ?? error?.status;
  const message = error instanceof Error ? error.message : String(error);
  return status === undefined || message.startsWith(String(status)) ? message : `${status} ${message}`;
}
