/** 120 everyday requests: twelve JSON Schemas (two of them the parameters of tools), ten texts for each, and the values of a right answer. */
import type { ToolDefinition } from "../../../src/core/sdk/request.ts";
import {
  addresses,
  amounts,
  books,
  contacts,
  type Facts,
  festivals,
  forecasts,
  households,
  products,
  type Question,
  recipes,
  reminders,
  residents,
  reviews,
} from "./questions.ts";

export type { Json } from "./questions.ts";

export interface AnswerCase {
  readonly name: string;
  readonly question: string;
  /** The schema of the answer; with `tools`, of the arguments of a call. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The right values by name. Names that the schema does not declare are wrong names. */
  readonly facts: Facts;
  /** The answer has to be a call. */
  readonly tools?: readonly ToolDefinition[];
}

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const date = { type: "string", format: "date" };

function closed(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) {
  return { type: "object", properties, required, additionalProperties: false };
}

function tool(name: string, description: string, parameters: Readonly<Record<string, unknown>>) {
  return { type: "function" as const, function: { name, description, parameters } };
}

const weather = closed({ city: text, days: integer });
const reminder = closed({ title: text, hour: { type: "integer", minimum: 0, maximum: 23 } });
const getWeather = tool("get_weather", "Weather forecast of a city", weather);
const setReminder = tool("set_reminder", "Sets a reminder at an hour of today", reminder);

interface Subject {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly questions: readonly Question[];
  readonly tools?: readonly ToolDefinition[];
}

const subjects: readonly Subject[] = [
  {
    name: "address",
    schema: closed({ street: text, number: integer, city: text, zip: text }),
    questions: addresses,
  },
  {
    name: "e-mail",
    schema: closed({ name: text, email: { type: "string", format: "email" } }),
    questions: contacts,
  },
  {
    name: "amounts",
    schema: closed({ shop: text, amount: text, paid: { type: "boolean" } }),
    questions: amounts,
  },
  { name: "dates", schema: closed({ title: text, start: date, end: date }), questions: festivals },
  {
    name: "recipe",
    schema: closed({
      title: text,
      minutes: integer,
      ingredients: { type: "array", items: text, minItems: 2, maxItems: 6 },
    }),
    questions: recipes,
  },
  {
    name: "product",
    schema: closed({ name: text, price: number, inStock: { type: "boolean" } }),
    questions: products,
  },
  {
    name: "classification",
    schema: closed({ sentiment: { enum: ["positive", "negative", "neutral"] }, reason: text }),
    questions: reviews,
  },
  { name: "tool call", schema: weather, questions: forecasts, tools: [getWeather] },
  { name: "tool call of two", schema: reminder, questions: reminders, tools: [getWeather, setReminder] },
  {
    name: "nested list",
    schema: closed({
      people: { type: "array", items: closed({ name: text, age: integer }), minItems: 1, maxItems: 4 },
    }),
    questions: households,
  },
  { name: "optional fields", schema: closed({ name: text, city: text }, []), questions: residents },
  {
    name: "open object",
    schema: { type: "object", properties: { year: integer, author: text, title: text } },
    questions: books,
  },
];

/** The first `count` questions of each schema. */
export function answerCases(count: number): readonly AnswerCase[] {
  return subjects.flatMap(({ name, schema, questions, tools }) =>
    questions.slice(0, count).map(({ question, facts }) => {
      const answerCase = { name, question, schema, facts };
      return tools ? { ...answerCase, tools } : answerCase;
    }),
  );
}
