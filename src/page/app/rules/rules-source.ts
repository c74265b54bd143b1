/**
 * The mod that rules stand for. The rules are one constant at its top; the code below the constant depends only on which
 * conditions and effects the rules use, so a text of the user is always data.
 */
import { conditionFields, effectFields, type FieldValue, type FieldValues, type Rule } from "./rule.ts";
import { rulesMark } from "./rules-mark.ts";

export const rulesBegin = "const rules = [\n";
export const rulesEnd = "\n] as const;\n";

export function rulesSource(rules: readonly Rule[]): string {
  return [
    rulesMark,
    imports(rules),
    "",
    `${rulesBegin}${rules.map(ruleLine).join("\n")}${rulesEnd}`,
    stateOf(rules),
    ...rules.flatMap(questionOf),
    ...helpersOf(rules),
    ...checkOf(rules),
    handlersOf(rules),
    "",
  ].join("\n");
}

function imports(rules: readonly Rule[]): string {
  const asks = rules.some((rule) => rule.do === "ask");
  const types = rules.some((rule) => rule.when in checks) ? "type EventOf, " : "";
  return [
    ...(asks ? ['import { selfPrompt } from "midtoken/flow";'] : []),
    `import { ${types}mod, requestState } from "midtoken/mod";`,
    ...(asks ? ['import { choices } from "midtoken/strategies";'] : []),
  ].join("\n");
}

function ruleLine(rule: Rule): string {
  const when = objectText(
    rule.when,
    conditionFields(rule.when).map(({ name }) => name),
    rule.whenValues,
  );
  const effect = objectText(
    rule.do,
    effectFields(rule.do).map(({ name }) => name),
    rule.doValues,
  );
  return `  { when: ${when}, do: ${effect} },`;
}

/** A part without fields is written as `{ stop: true }`. */
function objectText(part: string, names: readonly string[], values: FieldValues): string {
  if (names.length === 0) return `{ ${part}: true }`;
  return `{ ${names.map((name) => `${name}: ${valueText(values[name] ?? "")}`).join(", ")} }`;
}

/** Letters that are not seen are written as escapes, so that a reader sees all of a text. */
function valueText(value: FieldValue): string {
  if (typeof value === "object") return `[${value.map((word) => valueText(word)).join(", ")}]`;
  return JSON.stringify(value).replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\x7f-\x9f]/gu, (letter) =>
    Array.from({ length: letter.length }, (_, place) => escapeOf(letter.charCodeAt(place))).join(""),
  );
}

const escapeOf = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;

function stateOf(rules: readonly Rule[]): string {
  const once = rules.some(({ do: effect }) => effect === "insert" || effect === "startWith");
  return [
    "/** Indices of the rules that apply from now on, counted from 0. */",
    "const active = requestState(() => new Set<number>());",
    ...(once
      ? [
          "/** Indices of the rules that have inserted their text. */",
          "const done = requestState(() => new Set<number>());",
        ]
      : []),
    "",
  ].join("\n");
}

function questionOf(rule: Rule, index: number): string[] {
  if (rule.do !== "ask") return [];
  return [
    `const question${index} = selfPrompt({
  prompt: \` \${rules[${index}].do.ask} \`,
  strategy: choices([...rules[${index}].do.answers]),
  erase: "all",
  temperature: 0,
});
`,
  ];
}

function helpersOf(rules: readonly Rule[]): string[] {
  const helpers: string[] = [];
  if (rules.some(({ when }) => when === "atSentenceEnd")) {
    helpers.push(`const sentencesIn = (text: string) => text.match(/[.!?]+["”’)]*(?=\\s|$)/g)?.length ?? 0;
`);
  }
  if (rules.some((rule) => rule.do === "insert")) {
    helpers.push(`/** Adds a space before the text if it would otherwise join the word before it. */
const spaced = (before: string, text: string) =>
  /^$|[\\s("“]$/.test(before) || /^[\\s.,;:!?)”’]/.test(text) ? text : \` \${text}\`;
`);
  }
  return helpers;
}

/** Conditions on the text so far, as an expression of an event. */
const checks: Readonly<Partial<Record<Rule["when"], (index: number) => string>>> = {
  textContains: (index) => `event.output.text.includes(rules[${index}].when.textContains)`,
  afterTokens: (index) => `event.step >= rules[${index}].when.afterTokens`,
  atSentenceEnd: (index) => `sentencesIn(event.output.text) >= rules[${index}].when.atSentenceEnd`,
};

function checkOf(rules: readonly Rule[]): string[] {
  const lines = rules.flatMap(({ when }, index) => {
    const check = checks[when]?.(index);
    return check === undefined ? [] : [`  if (${check}) active.current.add(${index});`];
  });
  if (lines.length === 0) return [];
  return [`function check(event: EventOf<"forwardPass" | "added">) {\n${lines.join("\n")}\n}\n`];
}

function handlersOf(rules: readonly Rule[]): string {
  const handlers = [prefilledOf(rules), forwardPassOf(rules), addedOf(rules)].filter(Boolean);
  return `export default mod({\n${handlers.join("\n\n")}\n});`;
}

function prefilledOf(rules: readonly Rule[]): string {
  const lines = rules.flatMap(({ when }, index) => {
    if (when === "always") return [`    active.current.add(${index});`];
    if (when !== "promptContains") return [];
    return [`    if (prompt.includes(rules[${index}].when.promptContains)) active.current.add(${index});`];
  });
  if (lines.length === 0) return "";
  if (!rules.some(({ when }) => when === "promptContains"))
    return `  prefilled() {\n${lines.join("\n")}\n  },`;
  return `  prefilled(event) {
    const texts = event.messages.flatMap(({ content }) =>
      typeof content === "string" ? [content] : (content ?? []).map(({ text }) => text ?? ""),
    );
    const prompt = texts.join("\\n");
${lines.join("\n")}
  },`;
}

/** Effects before the next token is chosen. */
const effectCode: Readonly<Partial<Record<Rule["do"], (index: number) => string>>> = {
  insert: (index) => `    if (active.current.has(${index}) && !done.current.has(${index})) {
      done.current.add(${index});
      return actions.forceTokens(spaced(event.output.text, rules[${index}].do.insert));
    }`,
  startWith: (index) => `    if (active.current.has(${index}) && !done.current.has(${index})) {
      done.current.add(${index});
      return actions.forceTokens(rules[${index}].do.startWith);
    }`,
  stop: (index) => `    if (active.current.has(${index})) return actions.forceOutput(event.output.tokens);`,
  ask: (index) => `    if (active.current.has(${index}) && question${index}.answer() === null) {
      return question${index}.handle(event, actions, tokenizer);
    }`,
};

function forwardPassOf(rules: readonly Rule[]): string {
  const asks = rules.some((rule) => rule.do === "ask");
  const unsure = rules.flatMap(({ when }, index) =>
    when === "probabilityBelow"
      ? [`    if (probability < rules[${index}].when.probabilityBelow) active.current.add(${index});`]
      : [],
  );
  const acts = rules.flatMap((rule, index) => effectCode[rule.do]?.(index) ?? []);
  const bans = rules.flatMap((rule, index) =>
    rule.do === "ban" ? [`    if (active.current.has(${index})) ban.push(...rules[${index}].do.ban);`] : [],
  );
  if (unsure.length + acts.length + bans.length === 0) return "";
  return [
    `  forwardPass(event, actions${asks ? ", tokenizer" : ""}) {`,
    ...(asks ? hiddenLines(rules) : ["    if (event.hidden) return;"]),
    ...checkCall(rules),
    ...(unsure.length > 0
      ? [
          "    const [likeliest] = event.topK(1);",
          "    const probability = likeliest ? Math.exp(likeliest.logprob) : 1;",
        ]
      : []),
    ...unsure,
    ...acts,
    ...(bans.length > 0
      ? [
          "    const ban: string[] = [];",
          ...bans,
          "    if (ban.length > 0) return actions.adjustLogits({ ban });",
        ]
      : []),
    "  },",
  ].join("\n");
}

/** While a question is in the text, only this question acts. */
function hiddenLines(rules: readonly Rule[]): string[] {
  const questions = rules.flatMap((rule, index) => (rule.do === "ask" ? [index] : []));
  return [
    "    if (event.hidden) {",
    ...questions.map(
      (index) =>
        `      if (active.current.has(${index}) && question${index}.answer() === null) {
        return question${index}.handle(event, actions, tokenizer);
      }`,
    ),
    "      return;",
    "    }",
  ];
}

function checkCall(rules: readonly Rule[]): string[] {
  return rules.some(({ when }) => checks[when]) ? ["    check(event);"] : [];
}

function addedOf(rules: readonly Rule[]): string {
  const asks = rules.some((rule) => rule.do === "ask");
  const replaces = rules.flatMap((rule, index) => (rule.do === "replace" ? [replaceCode(index)] : []));
  if (!asks && replaces.length === 0) return "";
  return [
    `  added(event, actions${asks ? ", tokenizer" : ""}) {`,
    ...(asks ? hiddenLines(rules) : ["    if (event.hidden) return;"]),
    ...(replaces.length > 0 ? ["    if (event.forced) return;", ...checkCall(rules), ...replaces] : []),
    "  },",
  ].join("\n");
}

function replaceCode(index: number): string {
  return `    if (active.current.has(${index})) {
      const { replace, with: other } = rules[${index}].do;
      const last = event.output.lastTokensWith(replace);
      const text = last?.text.replace(replace, () => other);
      if (last) return actions.backtrack(last.count, text);
    }`;
}
