/** Twelve everyday requests: a text, a JSON Schema or tools, and the values that a right answer has. */
import type { ToolDefinition } from "../../../src/core/sdk/request.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface AnswerCase {
  readonly name: string;
  readonly question: string;
  /** The schema of the answer; with `tools`, of the arguments of a call. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The right values by name. Names that the schema does not declare are wrong names. */
  readonly facts: Readonly<Record<string, Json>>;
  /** The answer has to be a call. */
  readonly tools?: readonly ToolDefinition[];
  /** Undeclared names are asked for. */
  readonly isOpen?: true;
}

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };

function closed(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) {
  return { type: "object", properties, required, additionalProperties: false };
}

function tool(name: string, description: string, parameters: Readonly<Record<string, unknown>>) {
  return { type: "function" as const, function: { name, description, parameters } };
}

const weather = closed({ city: text, days: integer });
const reminder = closed({ title: text, hour: { type: "integer", minimum: 0, maximum: 23 } });

export const answerCases: readonly AnswerCase[] = [
  {
    name: "address",
    question:
      "Extract the address as JSON with street, number, city and zip: Mary Jones lives at 12 Oak Street in Boston, zip 02108.",
    schema: closed({ street: text, number: integer, city: text, zip: text }),
    facts: { street: "Oak Street", number: 12, city: "Boston", zip: "02108" },
  },
  {
    name: "e-mail",
    question:
      "Extract the contact as JSON with name and email: You can reach Peter Brown at peter@example.com.",
    schema: closed({ name: text, email: { type: "string", format: "email" } }),
    facts: { name: "Peter Brown", email: "peter@example.com" },
  },
  {
    name: "amounts",
    question:
      "Extract the bill as JSON with shop, amount and paid: The bill of the Corner Shop over 49 dollars was paid.",
    schema: closed({ shop: text, amount: text, paid: { type: "boolean" } }),
    facts: { shop: "Corner Shop", amount: "49 dollars", paid: true },
  },
  {
    name: "dates",
    question:
      "Extract the event as JSON with title, start and end (dates as YYYY-MM-DD): The Book Fair is from 2024-05-03 to 2024-05-07.",
    schema: closed({
      title: text,
      start: { type: "string", format: "date" },
      end: { type: "string", format: "date" },
    }),
    facts: { title: "Book Fair", start: "2024-05-03", end: "2024-05-07" },
  },
  {
    name: "recipe",
    question: "Write a recipe for pancakes as JSON with title, minutes and ingredients (a list of texts).",
    schema: closed({
      title: text,
      minutes: integer,
      ingredients: { type: "array", items: text, minItems: 2, maxItems: 6 },
    }),
    facts: { title: "Pancakes" },
  },
  {
    name: "product",
    question:
      "Describe the product as JSON with name, price and inStock: The Blue Kettle costs 24.5 dollars and is in stock.",
    schema: closed({ name: text, price: number, inStock: { type: "boolean" } }),
    facts: { name: "Blue Kettle", price: 24.5, inStock: true },
  },
  {
    name: "classification",
    question:
      'Is this review positive, negative or neutral? Answer as JSON with sentiment and reason. Review: "I love this phone."',
    schema: closed({ sentiment: { enum: ["positive", "negative", "neutral"] }, reason: text }),
    facts: { sentiment: "positive" },
  },
  {
    name: "tool call",
    question: "What will the weather be in Oslo for the next 3 days?",
    schema: weather,
    facts: { city: "Oslo", days: 3 },
    tools: [tool("get_weather", "Weather forecast of a city", weather)],
  },
  {
    name: "tool call of two",
    question: "Remind me to call Anna at 15 hours.",
    schema: reminder,
    facts: { title: "Call Anna", hour: 15 },
    tools: [
      tool("get_weather", "Weather forecast of a city", weather),
      tool("set_reminder", "Sets a reminder at an hour of today", reminder),
    ],
  },
  {
    name: "nested list",
    question: "List the people as JSON, each with name and age: Tom is 31 years old and Eva is 28 years old.",
    schema: closed({
      people: { type: "array", items: closed({ name: text, age: integer }), minItems: 1, maxItems: 4 },
    }),
    facts: {
      people: [
        { name: "Tom", age: 31 },
        { name: "Eva", age: 28 },
      ],
    },
  },
  {
    name: "optional fields",
    question:
      'Answer as JSON with the name and the city of the person, for example {"city": …, "name": …}: Ada lives in Rome.',
    schema: closed({ name: text, city: text }, []),
    facts: { name: "Ada", city: "Rome" },
  },
  {
    name: "open object",
    question: "Answer as JSON with title, author and year of the book: Dune by Frank Herbert, from 1965.",
    schema: { type: "object", properties: { year: integer, author: text, title: text } },
    facts: { title: "Dune", author: "Frank Herbert", year: 1965 },
  },
];
