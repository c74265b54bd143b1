/** Streamed requests side by side: straight to a llama.cpp server, and through a gateway. */
import { Agent, request } from "node:http";
import { median } from "../statistics.ts";

/** The sum of all requests of a round. */
export interface Round {
  readonly tokens: number;
  readonly ms: number;
}

/** Sends one request for a prompt; resolves to the tokens of its answer. */
export type SendPrompt = (prompt: string) => Promise<number>;

// A connection for each request: servers close idle ones.
const closing = new Agent({ keepAlive: false });
const names = ["Lily", "Tom", "Sara", "Ben", "Mia", "Sam", "Anna", "Tim"];
const animals = ["dog", "cat"];

/** Sends so many requests at once, each with a prompt of its own. */
export async function roundOf(count: number, send: SendPrompt): Promise<Round> {
  const start = performance.now();
  const tokens = await Promise.all(Array.from({ length: count }, (_, place) => send(promptOf(place))));
  return { tokens: tokens.reduce((sum, each) => sum + each, 0), ms: performance.now() - start };
}

function promptOf(place: number): string {
  const [name, animal] = [names[place % names.length], animals[Math.floor(place / names.length) % 2]];
  return `Once upon a time, ${name} had a ${animal}. One day, ${name}`;
}

/** @param probabilities tokens that each event lists; 0 for none */
export function straightTo(url: string, tokens: number, probabilities: number): SendPrompt {
  return async (prompt) => {
    const end = await endOfAnswer(`${url}/completion`, {
      prompt,
      n_predict: tokens,
      n_probs: probabilities,
      temperature: 0,
      samplers: ["temperature"],
      stream: true,
      cache_prompt: true,
      return_tokens: true,
      response_fields: ["tokens", "completion_probabilities", "tokens_predicted", "stop_type"],
    });
    return lastNumber(end, /"tokens_predicted":(\d+)/g);
  };
}

/** Each token is a request of its own, as for a client that cannot use streams. */
export function stepByStep(url: string, tokens: number, probabilities: number): SendPrompt {
  return async (prompt) => {
    const agent = new Agent({ keepAlive: true });
    const ask = (path: string, body: object): Promise<string> =>
      endOfAnswer(`${url}${path}`, body, { agent, length: mostOfStep });
    const { tokens: text } = JSON.parse(
      await ask("/tokenize", { content: prompt, add_special: true }),
    ) as Tokens;
    for (let made = 0; made < tokens; made++) {
      const answer = await ask("/completion", {
        prompt: text,
        n_predict: 1,
        n_probs: probabilities,
        temperature: 0,
        samplers: ["temperature"],
        cache_prompt: true,
        return_tokens: true,
        response_fields: ["tokens", "completion_probabilities"],
      });
      text.push(...(JSON.parse(answer) as Tokens).tokens);
    }
    agent.destroy();
    return tokens;
  };
}

interface Tokens {
  readonly tokens: number[];
}

export interface GatewayCall {
  /** The address of the gateway's API, `http://HOST:PORT/v1`. */
  readonly address: string;
  readonly model: string;
  readonly tokens: number;
  readonly temperature: number;
  /** None unless given: a llama.cpp server may then draw the tokens. */
  readonly seed?: number;
}

export function throughGateway({ address, model, tokens, temperature, seed }: GatewayCall): SendPrompt {
  return async (prompt) => {
    const end = await endOfAnswer(`${address}/completions`, {
      model,
      prompt,
      max_tokens: tokens,
      temperature,
      seed,
      stream: true,
      stream_options: { include_usage: true },
    });
    return lastNumber(end, /"completion_tokens":(\d+)/g);
  };
}

/** Characters at the end of an answer, in which its number of tokens stands. */
const endLength = 4_000;
/** Characters of the answer to a step with 64 listed tokens, and more. */
const mostOfStep = 40_000;

interface EndOptions {
  readonly agent: Agent;
  /** Characters of the end. */
  readonly length: number;
}

/** The client reads every byte and parses none, so that it takes little of the machine. */
function endOfAnswer(
  url: string,
  body: object,
  { agent, length }: EndOptions = { agent: closing, length: endLength },
): Promise<string> {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let end = "";
      response.setEncoding("latin1");
      response.on("data", (piece: string) => {
        end = (end + piece).slice(-length);
      });
      response.once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200) resolve(end);
        else reject(new Error(`${url} answered ${response.statusCode}: ${end}`));
      });
    });
    sent.once("error", reject);
    sent.end(text);
  });
}

/** @throws Error if the text has no such number */
function lastNumber(text: string, pattern: RegExp): number {
  const found = Number([...text.matchAll(pattern)].at(-1)?.[1]);
  if (Number.isNaN(found)) throw new Error(`The answer does not tell its tokens. It ends with ${text}`);
  return found;
}

type Ways = Readonly<Record<string, SendPrompt>>;

/** Tokens a second of each way, in rounds in which every way has a turn: the machine may do other things meanwhile. */
export async function inTurns<All extends Ways>(
  ways: All,
  count: number,
  rounds: number,
): Promise<Readonly<Record<keyof All, readonly number[]>>> {
  const names = Object.keys(ways) as (keyof All)[];
  const speeds = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    keyof All,
    number[]
  >;
  // The first round compiles.
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const { tokens, ms } = await roundOf(count, ways[name] as SendPrompt);
      if (round > 0) speeds[name].push((1_000 * tokens) / ms);
    }
  }
  return speeds;
}

/** The median of one way's speed over that of another in the same round. */
export function shareOf(one: readonly number[], other: readonly number[]): number {
  return median(one.map((each, round) => each / (other[round] as number)));
}
