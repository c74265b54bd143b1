/** The list of a response or of a stream's event, cut out without `JSON.parse`, is the list that `JSON.parse` reads; every other list is left to it. */
import { expect, test } from "vitest";
import { uniformRandom } from "../../core/base/random.ts";
import type { EventData } from "./event-stream.ts";
import { cutList, parseListResponse } from "./listed-entries.ts";
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

const wholeText = (text: string): EventData => ({ text, from: 0, to: text.length });

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

const [one, two] = [entryOf(1, -0.5), entryOf(2, -1.5)];

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
    const cut = cutList(wholeText(event), shape);
    if (!cut) throw new Error(`The list was not cut: ${event}`);
    expect(JSON.parse(cut.rest)).toEqual(JSON.parse(eventWithoutList(list)));
    expect(parseStep(JSON.parse(cut.rest), shape, cut.list)).toEqual(parseStep(JSON.parse(event), shape));
  }
});

test("a response is read with its list cut out, or as a whole", () => {
  const shape = { vocabularySize, listed: 2 };
  const usual = eventOf([one, two]);
  const { response, list } = parseListResponse(usual, shape);
  expect(parseStep(response, shape, list)).toEqual(parseStep(JSON.parse(usual), shape));
  expect(list?.tokens).toHaveLength(2);
  const short = eventOf([one]);
  expect(parseListResponse(short, shape)).toEqual({ response: JSON.parse(short), list: null });
  expect(() => parseListResponse(usual.slice(0, -1), shape)).toThrow(SyntaxError);
});

test("events that stand side by side in one text", () => {
  const shape = { vocabularySize, listed: 2 };
  const events = [eventOf([one, two]), eventOf([two, one]), eventOf([one]), eventOf([two, entryOf(3, -4)])];
  const text = `data: ${events.join("\n\ndata: ")}\n\n`;
  const cuts = events.map((event) => {
    const from = text.indexOf(event);
    return cutList({ text, from, to: from + event.length }, shape);
  });
  expect(cuts).toEqual(events.map((event) => cutList(wholeText(event), shape)));
  expect(cuts.map((cut) => cut && [...cut.list.tokens])).toEqual([[1, 2], [2, 1], null, [2, 3]]);
});

test.each([1, 64, 255, 256, 1_000])("lists of %i tokens do not share memory", (listed) => {
  const list = Array.from({ length: listed }, (_, place) => entryOf(place, -1 - place));
  const event = wholeText(eventOf(list));
  const shape = { vocabularySize, listed };
  const lists = Array.from({ length: 40 }, () => cutList(event, shape)?.list);
  for (const [place, cut] of lists.entries()) cut?.tokens.fill(place) && cut.logprobs.fill(-place);
  for (const [place, cut] of lists.entries())
    expect([new Set(cut?.tokens), new Set(cut?.logprobs)]).toEqual([new Set([place]), new Set([-place])]);
});

function eventWithoutList(list: readonly Entry[]): string {
  const event = JSON.parse(eventOf(list));
  event.completion_probabilities[0].top_logprobs = [];
  return JSON.stringify(event);
}

const cutOf = (event: string) => cutList(wholeText(event), { vocabularySize, listed: 2 });

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
