/** The list of a stream's event, cut out without `JSON.parse`, is the list that `JSON.parse` reads; every other list is left to it. */
import { expect, test } from "vitest";
import { uniformRandom } from "../../core/base/random.ts";
import { cutList } from "./listed-entries.ts";
import { parseStep } from "./parse-responses.ts";

const vocabularySize = 1_000;
const texts = [
  " a",
  "",
  '"',
  "\\",
  '\\"',
  '","bytes":[',
  '"top_logprobs":[',
  "é",
  "你",
  "\n",
  "\u0001",
  '{"id":3}',
];

interface Entry {
  readonly id: number;
  readonly token: string;
  readonly bytes: readonly number[];
  readonly logprob: number | null;
}

/** An event as llama.cpp writes it. */
function eventOf(list: readonly Entry[]): string {
  const [first] = list;
  return JSON.stringify({
    content: first?.token,
    tokens: [first?.id],
    tokens_predicted: 1,
    completion_probabilities: [{ ...first, top_logprobs: list }],
  });
}

function entryOf(id: number, logprob: number | null, token = " a"): Entry {
  return { id, token, bytes: [...new TextEncoder().encode(token)], logprob };
}

test("random lists are those of JSON.parse", () => {
  let draws = 0;
  const random = () => uniformRandom(30, draws++);
  for (let round = 0; round < 300; round++) {
    const listed = 1 + Math.floor(random() * 64);
    const from = Math.floor(random() * (vocabularySize - listed));
    const list = Array.from({ length: listed }, (_, place) => {
      const logprob = Math.fround(-0.001 - random() ** 3 * 110);
      return entryOf(from + place, logprob, texts[Math.floor(random() * texts.length)]);
    });
    const event = eventOf(list);
    const shape = { vocabularySize, listed };
    const cut = cutList(event, shape);
    if (!cut) throw new Error(`The list was not cut: ${event}`);
    expect(JSON.parse(cut.rest)).toEqual(JSON.parse(eventWithoutList(list)));
    expect(parseStep(JSON.parse(cut.rest), shape, cut.list)).toEqual(parseStep(JSON.parse(event), shape));
  }
});

function eventWithoutList(list: readonly Entry[]): string {
  const event = JSON.parse(eventOf(list));
  event.completion_probabilities[0].top_logprobs = [];
  return JSON.stringify(event);
}

const [one, two] = [entryOf(1, -0.5), entryOf(2, -1.5)];
const cutOf = (event: string) => cutList(event, { vocabularySize, listed: 2 });

test.each<[string, string]>([
  ["no list", '{"tokens":[1]}'],
  ["a list that does not end", eventOf([one, two]).slice(0, -8)],
  ["a text that does not end", eventOf([one, two]).slice(0, eventOf([one, two]).lastIndexOf(" a"))],
  ["too few tokens", eventOf([one])],
  ["too many tokens", eventOf([one, two, entryOf(3, -2)])],
  ["a token twice", eventOf([one, entryOf(1, -2)])],
  ["a token outside the vocabulary", eventOf([one, entryOf(1_000, -2)])],
  ["a log-probability above 0", eventOf([entryOf(1, 0.5), two])],
  ["a log-probability of null", eventOf([one, entryOf(2, null)])],
  ["an exponent", eventOf([entryOf(1, -1e-7), two])],
  [
    "another order of fields",
    eventOf([one, two]).replaceAll('"bytes":[32,97],"logprob":-1.5', '"logprob":-1.5,"bytes":[32,97]'),
  ],
  ["no bytes", eventOf([one, two]).replaceAll('"bytes":[32,97],', "")],
  ["a further field", eventOf([one, two]).replaceAll(',"logprob":-1.5', ',"rank":2,"logprob":-1.5')],
  ["an id that is a text", eventOf([one, two]).replaceAll('{"id":2', '{"id":"2"')],
])("%s: JSON.parse reads the event", (_, event) => {
  expect(cutOf(eventOf([one, two]))).not.toBeNull();
  expect(cutOf(event)).toBeNull();
});
