/** Embeddings of texts by a loaded language model: the hidden states after its last layer, averaged over the text. */
import { untilAborted } from "../../../core/base/abort.ts";
import { nonSpaceLength } from "../../../core/tokenizer/prompt-bytes.ts";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import { ApiError, invalidRequestError } from "../api-error.ts";
import { checkCallOptions } from "../call-options.ts";
import type { CallOptions } from "../completions-api.ts";
import type { LoadedModels, ModelSession } from "../loaded-models.ts";
import { readModelString } from "../model-string.ts";
import { requestErrorOf } from "../start-requests.ts";
import type { EmbeddingList, EmbeddingRequest, Embeddings } from "./embedding-types.ts";
import { base64OfFloats, type LayerSizes, meanHiddenState } from "./mean-state.ts";
import { type EmbeddingInput, type EmbeddingPlan, readEmbeddingRequest } from "./read-embedding-request.ts";

/** The most tokens of all inputs together, as in OpenAI's API. */
const mostTokens = 300_000;

export function createEmbeddings(models: LoadedModels): Embeddings {
  const create = async (
    request: EmbeddingRequest,
    options: CallOptions = {},
  ): Promise<EmbeddingList<number[] | string>> => {
    options.signal?.throwIfAborted();
    const plan = readEmbeddingRequest(request);
    const named = readModelString(plan.model, models.ids);
    if (named.mods.length > 0) {
      const names = named.mods.join(", ");
      const problem = `model names the mods ${names}, but mods do not apply to embeddings`;
      throw invalidRequestError(`${problem}: write ${JSON.stringify(named.model)}.`, "model");
    }
    checkCallOptions(options);
    const entry = models.get(named.model);
    models.use(entry);
    try {
      return await embed(plan, entry, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw requestErrorOf(error);
    }
  };
  // The type of the numbers depends on the format; the overloads express this in types.
  return { create: create as Embeddings["create"] };
}

async function embed(
  { model, inputs, isBase64, dimensions }: EmbeddingPlan,
  entry: ModelSession,
  { signal }: CallOptions,
): Promise<EmbeddingList<number[] | string>> {
  const loaded = await untilAborted(entry.loading, signal);
  // All inputs are checked before the first one is computed.
  const texts = await tokenized(inputs, entry, loaded, signal);
  const sizes = await sizesOf(entry, signal);
  if (dimensions !== null && dimensions !== sizes.hiddenSize) {
    const cure = `leave it out, or write ${sizes.hiddenSize}: the embeddings of this model cannot be shortened`;
    throw invalidRequestError(`dimensions is ${dimensions}: ${cure}.`, "dimensions");
  }
  const data: EmbeddingList<number[] | string>["data"] = [];
  for (const [index, tokens] of texts.entries()) {
    const vector = await embedding(tokens, entry, sizes, signal);
    data.push({
      object: "embedding",
      index,
      embedding: isBase64 ? base64OfFloats(vector) : [...vector],
    });
  }
  const prompt_tokens = texts.reduce((sum, { length }) => sum + length, 0);
  return { object: "list", model, data, usage: { prompt_tokens, total_tokens: prompt_tokens } };
}

async function embedding(
  tokens: readonly number[],
  { session }: ModelSession,
  sizes: LayerSizes,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  // Models use the first token as an attention sink: its hidden state does not depend on the text, and its norm is far
  // larger.
  const first = tokens.length > 1 ? 1 : 0;
  const places = Array.from({ length: tokens.length - first }, (_, place) => place + first);
  const query = { tokens, places, hidden: [sizes.layerCount - 1] };
  const reading = await session.readLayers(query, { ...(signal && { signal }) });
  return meanHiddenState(reading.places, sizes);
}

/** @throws ApiError, 400, for an input that is empty, too long, or has a token id beyond the vocabulary. */
async function tokenized(
  inputs: readonly EmbeddingInput[],
  { session }: ModelSession,
  { capacity, vocabularySize, promptBytes = Number.POSITIVE_INFINITY }: LoadedModel,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly number[])[]> {
  const texts: (readonly number[])[] = [];
  let count = 0;
  for (const { path, content } of inputs) {
    // Tokenizing a text that is far too long would take a minute.
    if (typeof content === "string" && nonSpaceLength(content, promptBytes + 1) > promptBytes) {
      throw tooLong(path, `${content.length} characters`, capacity);
    }
    const tokens = typeof content === "string" ? await tokensOf(content, session, signal) : content;
    const stranger = tokens.find((token) => token >= vocabularySize);
    if (stranger !== undefined) {
      const there = `this model has tokens 0 to ${vocabularySize - 1}`;
      throw invalidRequestError(`${path} has the token ${stranger}, but ${there}.`, path);
    }
    if (tokens.length === 0)
      throw invalidRequestError(`${path} contains no tokens: give a text that has at least one token.`, path);
    if (tokens.length > capacity) throw tooLong(path, `${tokens.length} tokens`, capacity);
    count += tokens.length;
    if (count > mostTokens) {
      throw invalidRequestError(
        `input has more than ${mostTokens} tokens: send it in several requests.`,
        "input",
      );
    }
    texts.push(tokens);
  }
  return texts;
}

async function tokensOf(
  text: string,
  session: ModelSession["session"],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const prompt = { messages: [{ role: "user" as const, content: text }], rawPrompt: true };
  const tokens = await session.tokenizePrompt(prompt, signal);
  return tokens.map(({ token }) => token);
}

function tooLong(path: string, length: string, capacity: number): ApiError {
  return new ApiError(
    `${path} has ${length}, but the model's context holds ${capacity} tokens: shorten the text, or send it in pieces.`,
    { status: 400, type: "invalid_request_error", code: "context_length_exceeded", param: path },
  );
}

const knownSizes = new WeakMap<ModelSession, LayerSizes>();

/** Number and size of the model's layers. Opens the layers. */
async function sizesOf(entry: ModelSession, signal: AbortSignal | undefined): Promise<LayerSizes> {
  const known = knownSizes.get(entry);
  if (known) return known;
  // A query with one token and no layer costs one pass.
  const query = { tokens: [0], places: [0], hidden: [] };
  const { layerCount, hiddenSize } = await entry.session.readLayers(query, { ...(signal && { signal }) });
  const sizes = { layerCount, hiddenSize };
  knownSizes.set(entry, sizes);
  return sizes;
}
