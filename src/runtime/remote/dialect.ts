/** The differences between servers that run models: how a question about a text is sent, and how its answer is read. */
import type { TokenId } from "../../core/sdk/request.ts";
import type { EngineName } from "./engine-name.ts";
import type { ServerStep } from "./parse-responses.ts";
import type { PrefixWatchOptions } from "./prefix-watch.ts";
import type { StreamReader } from "./step-stream.ts";

/** The most likely tokens after a text. */
export interface TopKQuestion {
  readonly type: "list";
  readonly text: readonly TokenId[];
  readonly count: number;
  /** The answer also tells the log-probability of this token, listed or not. */
  readonly token?: TokenId | undefined;
}

/** The log-probabilities of some tokens after a text. */
export interface GivenTokensQuestion {
  readonly type: "name";
  readonly text: readonly TokenId[];
  readonly tokens: readonly TokenId[];
}

/** A token that the server draws among those that are not banned; at temperature 0 the most likely of them. */
export interface DrawQuestion {
  readonly type: "draw";
  readonly text: readonly TokenId[];
  readonly banned: readonly TokenId[];
  readonly temperature: number;
  readonly seed: number;
}

export type EngineQuestion = TopKQuestion | GivenTokensQuestion | DrawQuestion;

/** The answer to a `TopKQuestion`. */
export interface TopKAnswer extends ServerStep {
  /** The log-probability of the question's token; null if it named none. */
  readonly ofToken: number | null;
}

/** The steps that follow a text, in which the server goes on with its most likely tokens. */
export interface StreamQuestion {
  readonly text: readonly TokenId[];
  /** Tokens that each step lists. */
  readonly listed: number;
  /** Steps. */
  readonly count: number;
}

export interface StreamReaderOptions {
  /** Tokens that each step lists. */
  readonly listed: number;
  /** Address for messages. */
  readonly origin: string;
  /** Called once, with the tokens of the text that the server computed; null if it does not tell. */
  readonly onComputed: (tokens: number | null) => void;
}

export interface EngineDialect {
  /** How the server caches a conversation. */
  readonly cache: PrefixWatchOptions;
  readonly name: EngineName;
  /** As the server tells it. */
  readonly version: string;
  readonly vocabularySize: number;
  /** Path of the requests for single steps. */
  readonly path: string;
  /** Tokens that one answer lists, at most. */
  readonly mostListed: number;
  /** Tokens that one `GivenTokensQuestion` may name. */
  readonly mostNamed: number;
  /** Tokens that one `DrawQuestion` may ban. */
  readonly mostBanned: number;
  /** @param slot of the conversation; null for servers without slots */
  body(question: EngineQuestion, slot: number | null): object;
  /** @throws RemoteEngineError that names the field which is not understood */
  readList(answer: unknown, question: TopKQuestion): TopKAnswer;
  /** Log-probabilities in the order of the question. @throws RemoteEngineError */
  readNamed(answer: unknown, question: GivenTokensQuestion): readonly number[];
  /** Steps of one stream, at most; 0 if the server is not asked for streams. */
  readonly mostStreamed: number;
  streamBody(question: StreamQuestion, slot: number | null): object;
  createStreamReader(options: StreamReaderOptions): StreamReader;
  /** @throws RemoteEngineError, also if a banned token came */
  readDrawn(answer: unknown, question: DrawQuestion): TokenId;
}
