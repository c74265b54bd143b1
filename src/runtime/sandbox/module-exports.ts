/**
 * The exports of each module that a mod can import, as a list for the compiler, which must not load the modules. A test
 * compares list and modules.
 */
import type { ImportableModule } from "./module-names.ts";

export interface ModuleExportNames {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

export const moduleExports: Readonly<Record<ImportableModule, ModuleExportNames>> = {
  "midtoken/mod": {
    values: [
      "InvalidActionError",
      "getSchemas",
      "toolCallPairs",
      "mod",
      "getConversation",
      "requestState",
      "serializeMod",
      "steeringVector",
    ],
    types: [
      "Action",
      "ActionsFor",
      "ToolCallPair",
      "EventOf",
      "ModEvent",
      "Mod",
      "Message",
      "TokenId",
      "ToolCall",
      "ToolDefinition",
      "RequestState",
      "ModPayload",
      "SerializeOptions",
      "SteeringVector",
      "Tokenizer",
    ],
  },
  "midtoken/strategies": {
    values: [
      "constraintOf",
      "chars",
      "choices",
      "grammar",
      "jsonSchema",
      "list",
      "oneOf",
      "regex",
      "seq",
      "until",
      "ConstraintLimitError",
      "StrategyError",
    ],
    types: [
      "Constraint",
      "ConstraintState",
      "JsonOptions",
      "CharsKind",
      "CharsOptions",
      "ListOptions",
      "UntilOptions",
      "Strategy",
    ],
  },
  "midtoken/flow": {
    values: [
      "flow",
      "question",
      "selfPrompt",
      "selfPromptMod",
      "bestOf",
      "end",
      "message",
      "optionScores",
      "output",
      "summary",
      "tool",
    ],
    types: [
      "Flow",
      "FlowOptions",
      "OptionScore",
      "Question",
      "RetryOptions",
      "Route",
      "Target",
      "ToolCalls",
      "QuestionOptions",
      "SelfPrompt",
      "SelfPromptOptions",
      "EraseMode",
      "FlowAnswer",
      "FlowState",
    ],
  },
};
