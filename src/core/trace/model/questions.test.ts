/** Questions that a mod asks the model are no edits of its text. */
import { expect, test } from "vitest";
import { markdownOf } from "../file/markdown.ts";
import { modelWithQuestions, modelWithRepeatedAnswer } from "../testing/question-trace.ts";
import { questionText } from "./question-text.ts";
import { describeToken } from "./trace-text.ts";
import { transcript, transcriptParts } from "./transcript.ts";

test("a removed span of hidden tokens is a question; what the model answered is moved into the output", () => {
  const model = modelWithQuestions();
  expect(model.spans.map(({ isQuestion }) => isQuestion)).toEqual([true, true, false]);
  expect(questionText(model, 0)).toEqual({ asked: "Mood:", answer: "happy" });
  expect(transcript(model)).toBe(
    "Once[asked:  Mood: happy][answering a question:  happy][asked:  Who: a cat][forced:  Good.][removed:  Tom][replacement:  Max][end]",
  );
  expect(describeToken(model, 1)).toBe(
    "token 2 of 12, forced by asker in forwardPass(), “ Mood”, part of a question",
  );
  expect(describeToken(model, 4)).toBe("token 5 of 12, answering a question by asker in added(), “ happy”");
});

test("text that a mod removes and puts back is an answer, whatever its tokens are", () => {
  const model = modelWithRepeatedAnswer();
  expect(model.spans.map(({ isQuestion }) => isQuestion)).toEqual([true]);
  expect(transcriptParts(model).map(({ standing, text }) => [standing, text])).toEqual([
    ["moved", '{"age":7}'],
  ]);
});

test("a question whose whole text comes into the output stands once in texts for readers", () => {
  const model = modelWithRepeatedAnswer();
  expect(model.spans.map(({ isRepeated }) => isRepeated)).toEqual([true]);
  expect(transcript(model).split('{"age":7}')).toHaveLength(2);
  expect(markdownOf(model, null).match(/age/g)).toHaveLength(1);
  expect(modelWithQuestions().spans.map(({ isRepeated }) => isRepeated)).toEqual([false, false, false]);
});

test("a picture in Markdown strikes the question and leaves the answer plain", () => {
  expect(markdownOf(modelWithQuestions(), null)).toContain(
    "Once ~~Mood: happy~~ happy ~~Who: a cat~~ **Good**",
  );
});
