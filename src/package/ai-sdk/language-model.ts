/** A language model of the AI SDK that uses one model of an engine. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { ChatCompletionChunk } from "../api/chat-completion.ts";
import type { CompletionStream } from "../api/completions-api.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { type ConvertedRequest, convertCallOptions } from "./chat-request.ts";
import { toAiSdkError } from "./errors.ts";
import { collectGenerateResult } from "./generate-result.ts";
import { MetadataCollector, providerMetadata } from "./metadata.ts";
import { StreamPartMaker } from "./stream-parts.ts";

type Part = LanguageModelV4StreamPart;

/** The content of a raw part that contains new records of the request, in order, instead of a chunk of OpenAI's. */
interface RawRecords {
  readonly object: "midtoken.records";
  readonly request_id: string;
  readonly records: readonly unknown[];
}

export class MidtokenLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "midtoken";
  /** The model with its mods: `model/mod,mod`. */
  readonly modelId: string;
  /** No URLs: the models read only text. */
  readonly supportedUrls: Record<string, RegExp[]> = {};
  readonly #engine: MidtokenEngine;

  constructor(engine: MidtokenEngine, modelId: string) {
    this.#engine = engine;
    this.modelId = modelId;
  }

  /** Rejects with an error of the AI SDK, or with the reason of the call's signal. */
  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const call = convertCallOptions(this.modelId, options);
    const { midtoken } = call.request;
    // The complete answer is returned at once, so all text is held back until no mod can remove it.
    const request = { ...call.request, midtoken: { ...midtoken, holdback: "all" as const } };
    const chunks = await this.#start({ ...call, request }, options);
    const parts: Part[] = [];
    for await (const part of this.#parts(chunks, options)) {
      if (part.type === "error") throw toAiSdkError(part.error, request);
      parts.push(part);
    }
    return collectGenerateResult(parts, { request: { body: request }, warnings: call.warnings });
  }

  /** Rejects as `doGenerate` does. A later failure is a part of type `error`; an abort is an error of the stream. */
  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const call = convertCallOptions(this.modelId, options);
    const { request, warnings } = call;
    const chunks = await this.#start(call, options);
    const parts = this.#parts(chunks, options);
    const stream = new ReadableStream<Part>({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings });
      },
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else if (value.type === "error")
          controller.enqueue({ type: "error", error: toAiSdkError(value.error, request) });
        else controller.enqueue(value);
      },
      async cancel() {
        chunks.abort();
        await parts.return();
      },
    });
    return { stream, request: { body: request } };
  }

  async #start(
    { request }: ConvertedRequest,
    { abortSignal: signal }: LanguageModelV4CallOptions,
  ): Promise<CompletionStream<ChatCompletionChunk>> {
    try {
      return await this.#engine.chat.completions.create(request, { ...(signal && { signal }) });
    } catch (error) {
      throw toAiSdkError(error, request);
    }
  }

  /** Throws if the call's signal was aborted; any other failure becomes a part, followed by `finish`. */
  async *#parts(
    chunks: CompletionStream<ChatCompletionChunk>,
    { abortSignal, includeRawChunks = false }: LanguageModelV4CallOptions,
  ): AsyncGenerator<Part, void> {
    const [requestId = ""] = chunks.requestIds;
    const watch = new MetadataCollector(requestId);
    const raw: RawRecords[] = [];
    let isNews = false;
    const unsubscribe = this.#engine.requests.subscribe((event) => {
      if (event.type !== "records") return;
      isNews = watch.append(event.records) || isNews;
      if (includeRawChunks) {
        raw.push({ object: "midtoken.records", request_id: requestId, records: event.records });
      }
    }, requestId);
    const parts = new StreamPartMaker();
    const metadata = () => providerMetadata(watch.metadata(parts.logprobs, parts.cutToolCall));
    let isWhole = false;
    try {
      for await (const chunk of chunks) {
        for (const rawValue of raw.splice(0)) yield { type: "raw", rawValue };
        if (includeRawChunks) yield { type: "raw", rawValue: chunk };
        const news = isNews ? metadata() : null;
        isNews = false;
        yield* parts.push(chunk, news);
      }
      isWhole = true;
    } catch (error) {
      if (abortSignal?.aborted) throw error;
      yield { type: "error", error };
    } finally {
      unsubscribe();
    }
    for (const rawValue of raw.splice(0)) yield { type: "raw", rawValue };
    yield* parts.end(isWhole, watch.finished?.reason, metadata());
  }
}
