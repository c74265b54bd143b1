/** An event in the usual form is read as by `JSON.parse`; every other event is left to it. */
import { expect, test } from "vitest";
import { uniformRandom } from "../../core/base/random.ts";
import { parsePredictedTokenCount, parseStep } from "./parse-responses.ts";
import { readUsualStep } from "./usual-step.ts";

const vocabularySize = 1_000;
const texts = [
  " a",
  "",
  '"',
  "\\",
  '\\"',
  '","bytes":[',
  '],"tokens":[7]',
  '"top_logprobs":[',
  "é",
  "\n",
  "{}",
];

interface Entry {
  readonly id: number;
  readonly token: string;
  readonly bytes: readonly number[];
  readonly logprob: number;
}

const entryOf = (id: number, logprob: number, token = " a"): Entry => ({
  id,
  token,
  bytes: [...new TextEncoder().encode(token)],
  logprob,
});

/** An event of build 11669. */
function eventOf(list: readonly Entry[], made: Entry | undefined = list[0], predicted = 1): string {
  return JSON.stringify({
    index: 0,
    content: made?.token,
    tokens: [made?.id],
    stop: false,
    id_slot: -1,
    tokens_predicted: predicted,
    tokens_evaluated: 14,
    completion_probabilities: [{ ...made, top_logprobs: list }],
  });
}

const read = (event: string, listed: number, text = event, from = 0) =>
  readUsualStep({ text, from, to: from + event.length }, { vocabularySize, listed });

test("random steps are those of JSON.parse, also side by side in one text", () => {
  let draws = 0;
  const random = () => uniformRandom(31, draws++);
  for (let round = 0; round < 300; round++) {
    const listed = 1 + Math.floor(random() * 64);
    const first = Math.floor(random() * (vocabularySize - listed - 1));
    const list = Array.from({ length: listed }, (_, place) => {
      const logprob = Math.fround(-0.001 - random() ** 3 * 100);
      return entryOf(first + place, logprob, texts[Math.floor(random() * texts.length)]);
    });
    const unlisted = entryOf(first + listed, -30.5, texts[Math.floor(random() * texts.length)]);
    const event = eventOf(list, random() < 0.2 ? unlisted : list[0], round);
    const parsed = JSON.parse(event);
    const expected = {
      step: parseStep(parsed, { vocabularySize, listed }),
      predicted: parsePredictedTokenCount(parsed),
    };
    expect(read(event, listed)).toEqual(expected);
    const before = "data: {}\n\ndata: ";
    const text = `${before}${event}\n\ndata: ${event}\n\n`;
    expect(read(event, listed, text, before.length)).toEqual(expected);
  }
});

const [one, two] = [entryOf(1, -0.5), entryOf(2, -1.5)];
const usual = eventOf([one, two]);

test.each<[string, string]>([
  ["no list", '{"tokens":[1]}'],
  ["a field more", usual.replace('"stop":false', '"stop":false,"more":1')],
  ["a field less", usual.replace('"id_slot":-1,', "")],
  ["another order", usual.replace('"index":0,"content":" a"', '"content":" a","index":0')],
  ["spaces", JSON.stringify(JSON.parse(usual), null, 1)],
  ["a token that is not that of the list", usual.replace('"tokens":[1]', '"tokens":[2]')],
  ["two tokens", usual.replace('"tokens":[1]', '"tokens":[1,2]')],
  ["a token outside the vocabulary", eventOf([one, two], entryOf(vocabularySize, -9.5))],
  ["a log-probability above 0", eventOf([one, two], { ...one, logprob: 0.5 })],
  ["an exponent", eventOf([one, two], { ...one, logprob: -1e-9 })],
  ["a list that is too short", eventOf([one])],
  ["something after the list", usual.replace(/}]}$/, ',"more":1}]}')],
  ["something after the event", `${usual} `],
  ["a text with a line break", usual.replace('"content":" a"', '"content":"\n"')],
  ["an event that does not end", usual.slice(0, -1)],
])("%s: JSON.parse reads the event", (_, event) => {
  expect(read(usual, 2)).not.toBeNull();
  expect(read(event, 2)).toBeNull();
});
