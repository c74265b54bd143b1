/**
 * Compares our types of responses and embeddings with those of OpenAI's client. The compiler checks this file; nothing runs
 * it.
 */
import type OpenAI from "openai";
import type { EmbeddingList, EmbeddingRequest } from "../embeddings/embedding-types.ts";
import type { MidtokenEngine } from "../midtoken-engine.ts";
import type { ResponseStreamEvent } from "./event-types.ts";
import type { ResponseRequest } from "./request-types.ts";
import type { ModelResponse, ResponseItemList } from "./response-types.ts";

declare const theirRequest: OpenAI.Responses.ResponseCreateParams;
declare const theirResponse: OpenAI.Responses.Response;
declare const theirEmbedding: OpenAI.EmbeddingCreateParams;
declare const response: ModelResponse;
declare const event: ResponseStreamEvent;
declare const items: ResponseItemList;
declare const embeddings: EmbeddingList;
declare const engine: MidtokenEngine;

// Requests written for OpenAI's client can be sent to our engine.
export const requestFits: ResponseRequest = theirRequest;
export const embeddingRequestFits: EmbeddingRequest = theirEmbedding;

// Code that reads OpenAI's answers can read ours.
export const responseFits: OpenAI.Responses.Response = response;
export const eventFits: OpenAI.Responses.ResponseStreamEvent = event;
export const itemsFit: OpenAI.Responses.ResponseItem[] = items.data;
export const embeddingsFit: OpenAI.CreateEmbeddingResponse = embeddings;

// The outputs of OpenAI's client and of our engine can be inputs of our engine.
export const sentBack: ResponseRequest = { model: "m", input: theirResponse.output };
export const ownSentBack: ResponseRequest = { model: "m", input: response.output };
export const ownSentToThem: OpenAI.Responses.ResponseInput = response.output;

export async function typeCheckCalls(): Promise<void> {
  const whole: ModelResponse = await engine.responses.create({ model: "m", input: "Hi", stream: false });
  for await (const each of await engine.responses.create({ model: "m", input: "Hi", stream: true })) {
    const next: ResponseStreamEvent = each;
    void next;
  }
  const floats: number[] | undefined = (await engine.embeddings.create({ model: "m", input: "Hi" })).data[0]
    ?.embedding;
  const text: string | undefined = (
    await engine.embeddings.create({ model: "m", input: "Hi", encoding_format: "base64" })
  ).data[0]?.embedding;
  void [whole, floats, text];
}

// @ts-expect-error: a misspelled field of an item.
export const misspelled: ResponseRequest = { model: "m", input: [{ role: "user", contents: "Hi" }] };
