/** The mods of the suite of OpenAI's client, registered over HTTP. */
import type OpenAI from "openai";
import type { SuiteContext } from "./suite-case.ts";

const handlers = {
  "no-lily": 'forwardPass: (e, actions, t) => actions.adjustLogits({ ban: t.encode(" Lily") })',
  "takes-back": 'added: ({ step }, actions) => step === 9 ? actions.backtrack(4, " dragon") : undefined',
  broken: 'added({ step }) { if (step > 4) throw new Error("It broke."); }',
};

export async function registerModsOverHttp(client: OpenAI): Promise<SuiteContext["mods"]> {
  for (const [name, handler] of Object.entries(handlers)) {
    const source = `import { mod } from "midtoken/mod";\nexport default mod({ ${handler} });\n`;
    await client.post("/mods", { body: { name, source } });
  }
  return { noLily: "no-lily", removesText: "takes-back", broken: "broken" };
}
