/** Checks the behaviour of a llama.cpp, vLLM or SGLang server, so that a user can report a server that differs from the known ones. */
import type { ListedLogits } from "../../src/core/decoder/ports/listed-logits.ts";
import { createHttpExchange } from "../../src/package/node/http-exchange.ts";
import { type RemoteAccess, ServerConnection } from "../../src/runtime/remote/connection.ts";
import { describeLlamaServer } from "../../src/runtime/remote/describe-server.ts";
import { fetchServedModel, type ServedModel } from "../../src/runtime/remote/engine-kind.ts";
import type { HttpExchange } from "../../src/runtime/remote/exchange.ts";
import { probeEngine } from "../../src/runtime/remote/probe.ts";
import { hasRamCache } from "../../src/runtime/remote/ram-cache.ts";
import { withoutAddresses } from "../../src/runtime/remote/remote-error.ts";
import { Replica } from "../../src/runtime/remote/replica.ts";
import { Replicas } from "../../src/runtime/remote/replicas.ts";
import { LlamaServerModel } from "../../src/runtime/remote/server-model.ts";
import { StepwiseModel } from "../../src/runtime/remote/stepwise-model.ts";

/** One line of the report. */
export interface ServerCheck {
  readonly what: string;
  readonly value: string;
  readonly isRight: boolean;
}

const listed = 64;
const promptLength = 32;
/** llama.cpp computes one or two tokens for a step; the others compute up to a block of 16 tokens. */
const mostComputed = 17;
const steps = 20;

const about = (what: string, value: string, isRight = true): ServerCheck => ({ what, value, isRight });

/** vLLM and SGLang do not report the size of the vocabulary: ids from here on are not accepted. */
const largestVocabulary = 1_000_000;

interface OpenedServer {
  readonly model: Pick<StepwiseModel, "forwardListed" | "truncate">;
  readonly vocabularySize: number;
  readonly about: readonly ServerCheck[];
}

/** @throws RemoteEngineError if the server cannot be reached, is not ready, or sends something that Midtoken does not understand */
export async function checkModelServer(access: RemoteAccess): Promise<readonly ServerCheck[]> {
  const counted = countingExchange(createHttpExchange());
  const connection = new ServerConnection(access, counted.exchange);
  const served = await fetchServedModel(connection);
  const opened =
    served.kind === "llama.cpp" ? await openLlama(connection) : await openStepwise(connection, served);
  return [...opened.about, ...(await checkModel(opened, counted.computed))];
}

async function openLlama(connection: ServerConnection): Promise<OpenedServer> {
  const server = await describeLlamaServer(connection);
  const { vocabularySize, contextLength, slots, version } = server;
  const keepsTexts = await hasRamCache(connection, { server });
  const replicas = new Replicas([new Replica({ connection, slots })]);
  const model = new LlamaServerModel(replicas, {
    server,
    endOfSequence: [],
    listedTokens: listed,
    stream: false,
  });
  const { forwardListed } = model;
  if (!forwardListed)
    throw new Error(`The vocabulary of ${vocabularySize} tokens is too small for this check.`);
  return {
    model: { forwardListed, truncate: (length) => model.truncate(length) },
    vocabularySize,
    about: [
      about("server", "llama.cpp"),
      about("version", version || "not said"),
      about(
        "tokens of the vocabulary, of a conversation, slots",
        `${vocabularySize}, ${contextLength}, ${slots}`,
      ),
      about("RAM cache", keepsTexts ? "there: start the server with -cram 0" : "not seen", !keepsTexts),
    ],
  };
}

async function openStepwise(connection: ServerConnection, served: ServedModel): Promise<OpenedServer> {
  const vocabularySize = largestVocabulary;
  const { dialect, contextLength, streamProblem } = await probeEngine(connection, {
    served,
    vocabularySize,
    endToken: undefined,
  });
  const { name, version, mostListed, mostNamed } = dialect;
  const model = new StepwiseModel(new Replicas([new Replica({ connection, slots: 0 })]), {
    dialect,
    contextLength,
    endOfSequence: [],
    listedTokens: Math.min(listed, mostListed),
    stream: false,
  });
  return {
    model,
    vocabularySize: 10_000,
    about: [
      about("server", name),
      about("version", version || "not said"),
      about("tokens of a conversation", String(contextLength)),
      about("tokens that a step lists at most", String(mostListed), mostListed >= listed),
      about("tokens that a request names at most", String(mostNamed)),
      about(
        "three streamed tokens against single requests",
        streamProblem === null ? "the same" : withoutAddresses(streamProblem, [connection.origin]),
        streamProblem === null,
      ),
    ],
  };
}

async function checkModel(
  { model, vocabularySize }: OpenedServer,
  counts: number[],
): Promise<readonly ServerCheck[]> {
  const row = async (tokens: readonly number[]): Promise<ListedLogits> => {
    const [only] = await model.forwardListed(tokens, 1, listed);
    if (!only) throw new Error("The model gave no row.");
    return only;
  };
  const prompt = Array.from({ length: promptLength }, (_, place) => (100 + 7 * place) % vocabularySize);
  let last = await row(prompt);
  const text = [...prompt];
  const start = performance.now();
  counts.length = 0;
  for (let step = 0; step < steps; step++) {
    const token = last.tokens[0] as number;
    text.push(token);
    last = await row([token]);
  }
  const perStep = (performance.now() - start) / steps;
  const computed = counts.reduce((sum, count) => sum + count, 0) / steps;
  const isTold = counts.length > 0;
  const named = await last.logprobsOf(Array.from(last.tokens));
  const worstNamed = Math.max(
    ...Array.from(last.logprobs, (each, place) => Math.abs(each - (named[place] ?? 0))),
  );
  const next = await last.drawOutside(Array.from(last.tokens.slice(0, 10)), 0, 0);
  model.truncate(4);
  const again = await row(text.slice(4));
  return [
    about(
      "tokens computed for each step",
      isTold ? computed.toFixed(1) : "not said",
      computed <= mostComputed,
    ),
    about("milliseconds for each step", perStep.toFixed(1)),
    about("probability of the listed tokens", mass(last).toFixed(6), mass(last) <= 1.001),
    about(
      "named tokens against listed ones, worst difference",
      worstNamed.toExponential(1),
      worstNamed < 1e-2,
    ),
    about(
      "best token with ten banned",
      next === last.tokens[10] ? "the eleventh" : "another one",
      next === last.tokens[10],
    ),
    about(
      "the same text read again, worst difference",
      worstOf(last, again).toExponential(1),
      worstOf(last, again) < 0.1,
    ),
  ];
}

const mass = ({ logprobs }: ListedLogits): number => logprobs.reduce((sum, each) => sum + Math.exp(each), 0);

function worstOf(first: ListedLogits, second: ListedLogits): number {
  const known = new Map(
    Array.from(second.tokens, (token, place) => [token, second.logprobs[place] as number]),
  );
  const both = Array.from(first.tokens, (token, place) => ({
    a: first.logprobs[place] as number,
    b: known.get(token),
  }));
  return Math.max(...both.map(({ a, b }) => (b === undefined ? 0 : Math.abs(a - b))));
}

/** Records how many tokens the server reports as computed for each response. */
function countingExchange(exchange: HttpExchange): {
  readonly exchange: HttpExchange;
  readonly computed: number[];
} {
  const counts: number[] = [];
  return {
    computed: counts,
    async exchange(request) {
      const reply = await exchange(request);
      const computed = computedIn(reply.text);
      if (computed !== null) counts.push(computed);
      return reply;
    },
  };
}

function computedIn(answer: string): number | null {
  const [, read] = /"prompt_n":(\d+)/.exec(answer) ?? [];
  if (read !== undefined) return Number(read);
  const [, all] = /"prompt_tokens":(\d+)/.exec(answer) ?? [];
  const [, cached] = /"cached_tokens":(\d+)/.exec(answer) ?? [];
  return all === undefined || cached === undefined ? null : Number(all) - Number(cached);
}
