/** Quote's tests/sdk/test_flow_engine.py: questions one after the other, with branches between them. */
import { plainOutputMarker, type QuoteSdkCase } from "./quote-case.ts";

/** A flow from the question `first`. Writes the names of the questions that were answered, in their order. */
const flowOf = (
  questions: string,
) => `import { flow, message, output, question, summary, tool } from "midtoken/flow";
import { mod } from "midtoken/mod";
import { chars, choices, list, until } from "midtoken/strategies";

const ask = (name: string, responses: readonly string[], erase: "all" | "none" | "prompt" = "all") =>
  question({ name, prompt: " " + name + ": ", responses, erase });
${questions}
const asked = flow({ entry: first, summary: ({ answers }) => Object.keys(answers).join("+") });

export default mod((event, actions, tokenizer) => {
  const action = asked.handle(event, actions, tokenizer);
  if (event.type === "finished") console.log(asked.state().history.map(({ question }) => question).join());
  return action;
});
`;
/** Each question leads to the next one, and the last one to a text. */
const chain = (questions: readonly string[], end = '" End."') =>
  questions
    .map((question, place) => `const ${place === 0 ? "first" : `q${place + 1}`} = ${question};`)
    .concat(
      questions.map(
        (_, place) => `${nameOf(place)}.then(${place + 1 < questions.length ? nameOf(place + 1) : end});`,
      ),
    )
    .join("\n");
const nameOf = (place: number) => (place === 0 ? "first" : `q${place + 1}`);
const linear = (count: number, letters: readonly string[]) =>
  flowOf(
    chain(Array.from({ length: count }, (_, place) => `ask("q${place + 1}", ${JSON.stringify(letters)})`)),
  );

export const flowCases: readonly QuoteSdkCase[] = [
  {
    name: "test_flow_engine/two_choices",
    source: flowOf(chain(['ask("q1", ["A", "B"])', 'ask("q2", ["X", "Y"])'])),
    expects: { text: /^ End\./, lines: ["q1,q2"] },
  },
  {
    name: "test_flow_engine/three_linear",
    maxTokens: 24,
    source: flowOf(
      chain([
        'ask("q1", ["A", "B"], "none")',
        'ask("q2", ["X", "Y"], "none")',
        'ask("q3", ["M", "N"], "none")',
      ]),
    ),
    expects: { text: /^ q1: [AB] q2: [XY] q3: [MN] End\./, lines: ["q1,q2,q3"] },
  },
  {
    name: "test_flow_engine/three_erase_all",
    source: linear(3, ["A", "B"]),
    expects: { text: /^ End\./, lines: ["q1,q2,q3"] },
  },
  {
    name: "test_flow_engine/four_linear",
    source: linear(4, ["A", "B", "C", "D"]),
    expects: { text: /^ End\./, lines: ["q1,q2,q3,q4"] },
  },
  {
    name: "test_flow_engine/five_erase_all: the text goes on as if nothing had been asked",
    source: flowOf(
      chain(
        Array.from({ length: 5 }, (_, place) => `ask("q${place + 1}", ["A", "B"])`),
        "() => null",
      ),
    ),
    expects: { text: plainOutputMarker, lines: ["q1,q2,q3,q4,q5"] },
  },
  {
    name: "test_flow_engine/mixed_strategies",
    source: flowOf(`const first = ask("choice1", ["go"]);
const number = question({ name: "number", prompt: " n: ", strategy: chars("digits", { min: 3, max: 3 }), erase: "all" });
const choice2 = ask("choice2", ["yes", "no"]);
first.on("go", number);
number.then(choice2);
choice2.then(({ answers }) => " " + (answers.number ?? "").length);`),
    expects: { text: /^ 3/, lines: ["choice1,number,choice2"] },
  },
  {
    name: "test_flow_engine/branch_on_answer",
    source: flowOf(`const first = ask("router", ["left"]);
const left1 = ask("left1", ["a"]);
first.on("left", left1).otherwise(ask("right1", ["b"]));
left1.then(ask("left2", ["c"]));`),
    expects: { lines: ["router,left1,left2"], text: plainOutputMarker },
  },
  {
    name: "test_flow_engine/erase_none",
    source: flowOf(
      'const first = question({ name: "q1", prompt: "Q1: ", responses: ["A", "B"], completion: "\\n" });',
    ),
    expects: { text: /^Q1: [AB]\n/, lines: ["q1"] },
  },
  {
    name: "test_flow_engine/until_tags",
    source: flowOf(
      'const first = question({ name: "q1", prompt: " q: ", strategy: until({ start: "<a>", end: "</a>", maxTokens: 6 }), erase: "all" });',
    ),
    expects: { text: plainOutputMarker, lines: ["q1"] },
  },
  {
    name: "test_flow_engine/list",
    source: flowOf(
      `const first = question({ name: "q1", prompt: " q: ", strategy: list([choices(["x"]), choices(["y"])], { open: "[", close: "]", wrap: '"', separator: ", " }), erase: "prompt" });`,
    ),
    expects: { text: /^ ?\["x", "y"\]/, lines: ["q1"] },
  },
  {
    name: "test_flow_engine/route_output",
    source: flowOf(chain(['ask("q1", ["A", "B"])'], 'output("OUT")')),
    expects: { text: "OUT", lines: ["q1"] },
  },
  {
    name: "test_flow_engine/route_tool: the callback is called once",
    source: flowOf(
      chain(
        ['ask("q1", ["A"])'],
        'tool(({ answers }) => { console.log("called"); return { name: "f", arguments: { a: answers.q1 ?? "" } }; })',
      ),
    ),
    expects: { calls: ['f({"a":"A"})'], lines: ["called", "q1"] },
  },
  {
    name: "test_flow_engine/summary",
    source: flowOf(
      chain(['ask("q1", ["A", "B"])', 'ask("q2", ["X", "Y"])'], "summary(undefined, { heal: false })"),
    ),
    expects: { text: /^q1\+q2/, lines: ["q1,q2"] },
  },
  {
    name: "test_flow_engine/erase_prompt",
    source: flowOf('const first = ask("q1", ["A", "B"], "prompt");'),
    expects: { text: /^ ?[AB]/, lines: ["q1"] },
  },
  {
    name: "test_flow_engine/assign: once, with the answer",
    source: flowOf('const first = ask("q1", ["A"]).assign((_state, answer) => console.log(answer));'),
    expects: { text: plainOutputMarker, lines: ["A", "q1"] },
  },
  {
    name: "test_flow_engine/auto_answer",
    source: flowOf(`${chain(['ask("q1", ["A"])', 'ask("auto_q2", ["yes", "no"])', 'ask("q3", ["B"])'])}
q2.autoAnswer(() => "yes");
q3.assign(({ answers }) => console.log(answers.auto_q2));`),
    expects: { text: /^ End\./, lines: ["yes", "q1,auto_q2,q3"] },
  },
  {
    name: "test_flow_engine/branch",
    source: flowOf(`const first = ask("q1", ["A"]).assign((state) => { state.data.flag = true; });
first.branch(({ data }) => (data.flag ? ask("flag_on_path", ["B"]) : null)).otherwise(ask("flag_off_path", ["C"]));`),
    expects: { text: plainOutputMarker, lines: ["q1,flag_on_path"] },
  },
];
