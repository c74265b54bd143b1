/** The programs that run models for Midtoken, and how messages call them. */

export type EngineName = "llama.cpp" | "vLLM" | "SGLang";

/** A server that runs one of the programs, for messages. */
export const serverOf = {
  "llama.cpp": "a llama.cpp server",
  vLLM: "a vLLM server",
  SGLang: "an SGLang server",
} as const satisfies Record<EngineName, string>;

/** For messages about a server whose program is not known yet. */
export const anyModelServer = "a llama.cpp, vLLM or SGLang server";
