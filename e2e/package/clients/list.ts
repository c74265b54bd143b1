/** The clients that `npm run bench -- package --only clients` installs and tries, with the exact versions of all that is installed. */

export interface Client {
  readonly name: string;
  readonly version: string;
  /** Its cases: a file of this folder, without the ending. */
  readonly program: string;
  readonly packages: Readonly<Record<string, string>>;
  /** Whether the bench also tries it in the browser, through the service worker. */
  readonly inBrowser?: true;
}

const zod = "4.6.7";

export const clients: readonly Client[] = [
  {
    name: "openai",
    version: "7.57.0",
    program: "openai",
    packages: { openai: "7.57.0", zod },
    inBrowser: true,
  },
  {
    name: "ai",
    version: "5.0.277",
    program: "ai",
    packages: { ai: "5.0.277", "@ai-sdk/openai-compatible": "1.0.61", "@ai-sdk/openai": "2.0.130", zod },
  },
  {
    name: "ai",
    version: "6.0.325",
    program: "ai",
    packages: { ai: "6.0.325", "@ai-sdk/openai-compatible": "2.0.92", "@ai-sdk/openai": "3.0.141", zod },
  },
  {
    name: "ai",
    version: "7.0.173",
    program: "ai",
    packages: { ai: "7.0.173", "@ai-sdk/openai-compatible": "3.0.92", "@ai-sdk/openai": "4.0.118", zod },
    inBrowser: true,
  },
  {
    name: "@langchain/openai",
    version: "1.6.0",
    program: "langchain",
    packages: { "@langchain/openai": "1.6.0", "@langchain/core": "1.4.0", zod },
  },
  {
    name: "@instructor-ai/instructor",
    version: "1.7.0",
    program: "instructor",
    packages: { "@instructor-ai/instructor": "1.7.0", openai: "4.104.0", zod: "3.25.76" },
  },
  {
    name: "@llamaindex/openai",
    version: "0.4.23",
    program: "llamaindex",
    packages: {
      "@llamaindex/openai": "0.4.23",
      "@llamaindex/core": "0.6.23",
      "@llamaindex/env": "0.1.31",
      zod,
    },
  },
];
