/** What else an answer says that calls tools. */
export { textBesideCalls } from "../../runtime/session/answer-calls.ts";
