/** llama.cpp by the interface of the other servers, so that a real server tests what is written for all of them. */
import type { TokenId } from "../../../core/sdk/request.ts";
import type {
  EngineDialect,
  EngineQuestion,
  GivenTokensQuestion,
  TopKAnswer,
  TopKQuestion,
} from "../dialect.ts";
import { LlamaStreamReader } from "../llama-stream-reader.ts";
import { parseStep, parseToken } from "../parse-responses.ts";
import { forcedTokenBias, stepRequestBody, streamRequestBody, type TokenBias } from "../step-body.ts";

export function createLlamaDialect(vocabularySize: number): EngineDialect {
  const readList = (answer: unknown, { count, token }: TopKQuestion): TopKAnswer => {
    const step = parseStep(answer, { vocabularySize, listed: count });
    return { ...step, ofToken: token === undefined ? null : step.logprob };
  };
  return {
    name: "llama.cpp",
    version: "",
    vocabularySize,
    path: "/completion",
    cache: {},
    mostListed: vocabularySize,
    mostNamed: 1,
    mostBanned: vocabularySize,
    mostStreamed: 512,
    streamBody: ({ text, listed, count }, slot) => streamRequestBody({ text, listed }, count, slot),
    createStreamReader: (options) => new LlamaStreamReader({ ...options, vocabularySize }),
    body: (question, slot) => stepRequestBody(bodyOf(question), slot),
    readList,
    readNamed: (answer: unknown, { tokens: [token], text }: GivenTokensQuestion) => [
      readList(answer, { type: "list", text, count: 1, token }).logprob,
    ],
    readDrawn: (answer): TokenId => parseToken(answer, vocabularySize),
  };
}

function bodyOf(question: EngineQuestion) {
  const { text } = question;
  switch (question.type) {
    case "list":
      return {
        text,
        listed: question.count,
        bias: question.token === undefined ? [] : forcedTokenBias(question.token),
      };
    case "name":
      return { text, listed: 1, bias: forcedTokenBias(question.tokens[0] as TokenId) };
    case "draw": {
      const { temperature, seed } = question;
      return {
        text,
        listed: 1,
        bias: question.banned.map((token): TokenBias => [token, false]),
        temperature,
        seed,
      };
    }
  }
}
