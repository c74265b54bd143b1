/** `midtoken/flow`: hidden questions, and flows of them. Its exports are listed by hand; at most 25 names. */
export type { Flow, FlowOptions } from "./flow/flow.ts";
export { flow } from "./flow/flow.ts";
export type { Question, RetryOptions, Route, Target, ToolCalls } from "./flow/flow-graph.ts";
export type { OptionScore } from "./flow/option-scores.ts";
export { bestOf, optionScores } from "./flow/option-scores.ts";
export type { QuestionOptions } from "./flow/question.ts";
export { question } from "./flow/question.ts";
export type { SelfPrompt, SelfPromptOptions } from "./flow/self-prompt.ts";
export { selfPrompt, selfPromptMod } from "./flow/self-prompt.ts";
export type { EraseMode } from "./flow/self-prompt-plan.ts";
export type { FlowAnswer, FlowState } from "./flow/state.ts";
export { end, message, output, summary, tool } from "./flow/target.ts";
