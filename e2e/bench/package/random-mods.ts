/** Mods that do anything to a text at random places: put in, take back, make it into something else, end it. */
import { mix32 } from "../../../src/core/base/random.ts";

/** Characters of one to four bytes, which the bundled model's tokenizer writes byte by byte where it does not know them. */
const texts = [" dragon", "é", "日本", " 🙂", "ß!", "\n", " and", "x", "👩‍🚀", ""];

/** TypeScript of a mod; the same for the same number. */
export function randomMod(seed: number): string {
  let drawn = seed;
  const draw = (below: number) => {
    drawn = mix32(drawn + 0x9e3779b9);
    return (drawn >>> 0) % below;
  };
  const text = () => JSON.stringify(texts[draw(texts.length)]);
  const answer = (event: string): string => {
    const kind = draw(20);
    if (kind < 8) return `actions.backtrack(Math.min(${draw(7)}, event.step), ${text()})`;
    if (kind < 10) return `actions.backtrack(Math.min(${draw(7)}, event.step))`;
    if (kind < 17) return `actions.forceTokens(${text()})`;
    if (kind < 18) return `actions.forceOutput(${text()})`;
    if (kind < 19) return `actions.toolCalls({ name: "look", arguments: { at: ${text()} } })`;
    return event === "forwardPass"
      ? "actions.adjustLogits({ ban: [5] })"
      : `actions.error(${text()} || "no")`;
  };
  const handler = (event: string) => {
    const cases = Array.from({ length: 1 + draw(4) }, () => {
      const call = draw(24);
      return `      case ${call}: return ${answer(event)};`;
    });
    const unique = [...new Map(cases.map((line) => [line.split(":")[0], line])).values()];
    return `  ${event}(event, actions) {\n    switch (calls++) {\n${unique.join("\n")}\n    }\n  },`;
  };
  const events = ["forwardPass", "sampled", "added"].filter(() => draw(3) > 0);
  const handlers = (events.length > 0 ? events : ["added"]).map(handler);
  return `import { mod } from "midtoken/mod";\n\nlet calls = 0;\n\nexport default mod({\n${handlers.join("\n")}\n});\n`;
}
