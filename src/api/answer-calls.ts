/** What else an answer says that calls tools. */
export { textBesideCalls } from "../session/answer-calls.ts";
