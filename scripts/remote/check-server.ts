/** Checks what a llama.cpp server does, so that a user can report a server that differs from those we know. */
import type { ListedLogits } from "../../src/core/decoder/ports/listed-logits.ts";
import { httpExchange } from "../../src/package/node/http-exchange.ts";
import { type RemoteAccess, ServerConnection } from "../../src/runtime/remote/connection.ts";
import type { Exchange } from "../../src/runtime/remote/exchange.ts";
import { describeServer } from "../../src/runtime/remote/load-remote-model.ts";
import { Replica } from "../../src/runtime/remote/replica.ts";
import { Replicas } from "../../src/runtime/remote/replicas.ts";
import { RemoteModel } from "../../src/runtime/remote/server-model.ts";

/** One line of the report. */
export interface Finding {
  readonly what: string;
  readonly value: string;
  readonly isRight: boolean;
}

const listed = 64;
const promptLength = 32;
const steps = 20;

/** @throws RemoteEngineError if the server is not there or not ready. */
export async function checkServer(access: RemoteAccess): Promise<readonly Finding[]> {
  const counted = countingExchange(httpExchange());
  const connection = new ServerConnection(access, counted.exchange);
  const server = await describeServer(connection);
  const { vocabularySize, contextLength, slots, version } = server;
  const replicas = new Replicas([new Replica({ connection, slots })]);
  const model = new RemoteModel(replicas, { server, endOfSequence: [], listedTokens: listed });
  const about = (what: string, value: string, isRight = true): Finding => ({ what, value, isRight });
  const row = async (tokens: readonly number[]): Promise<ListedLogits> => {
    const [only] = (await model.forwardListed?.(tokens, 1, listed)) ?? [];
    if (!only) throw new Error(`The vocabulary of ${vocabularySize} tokens is too small for this check.`);
    return only;
  };
  const prompt = Array.from({ length: promptLength }, (_, place) => (100 + 7 * place) % vocabularySize);
  let last = await row(prompt);
  const [text, start] = [[...prompt], performance.now()];
  counted.computed.length = 0;
  for (let step = 0; step < steps; step++) {
    const token = last.tokens[0] as number;
    text.push(token);
    last = await row([token]);
  }
  const perStep = (performance.now() - start) / steps;
  const computed = counted.computed.reduce((sum, count) => sum + count, 0) / steps;
  const named = await last.logprobsOf(Array.from(last.tokens));
  const worstNamed = Math.max(
    ...Array.from(last.logprobs, (each, place) => Math.abs(each - (named[place] ?? 0))),
  );
  const next = await last.drawOutside(Array.from(last.tokens.slice(0, 10)), 0, 0);
  model.truncate(4);
  const again = await row(text.slice(4));
  return [
    about("version", version || "not said"),
    about(
      "tokens of the vocabulary, of a conversation, slots",
      `${vocabularySize}, ${contextLength}, ${slots}`,
    ),
    about("tokens computed for each step (2 at most)", computed.toFixed(1), computed <= 2),
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

/** Notes how many tokens the server says that it computed for each answer. */
function countingExchange(exchange: Exchange): { readonly exchange: Exchange; readonly computed: number[] } {
  const computed: number[] = [];
  return {
    computed,
    async exchange(request) {
      const reply = await exchange(request);
      const found = /"prompt_n":(\d+)/.exec(reply.text);
      if (found) computed.push(Number(found[1]));
      return reply;
    },
  };
}
