/** Each gallery mod for tools makes the calls that it says. */
import { expect, test } from "vitest";
import type { Message } from "../../core/sdk/request.ts";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runModded, runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";
import type { TestRunOutcome } from "./testing/test-model.ts";

function callsOf({ finished }: TestRunOutcome): readonly [name: string, given: unknown][] {
  return finished.toolCalls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]);
}

describeOnBundledModel((model) => {
  test("call-a-tool: asks for the weather in the park, and says nothing", async () => {
    const { modded } = await runModded(model(), "call-a-tool");
    expect(modded.finished).toMatchObject({ reason: "tool_calls", text: "" });
    const [call, ...more] = modded.finished.toolCalls;
    expect(more).toEqual([]);
    expect(call?.id).toMatch(/^call_\w+$/);
    expect(call?.function.name).toBe("get_weather");
    expect(JSON.parse(call?.function.arguments ?? "")).toEqual({ place: "park", unit: "celsius" });
  });
});

describeOnInstructModel((model) => {
  test("weather-tool: a tool call, with nothing computed", async () => {
    const { modded } = await runModded(model(), "weather-tool");
    expect(modded.finished).toMatchObject({ reason: "tool_calls", text: "", usage: { forwardPasses: 0 } });
    const calls = modded.finished.toolCalls.map((call) => call.function);
    expect(calls).toEqual([{ name: "get_weather", arguments: '{"city":"Paris"}' }]);
  });

  test("tool-router: the tool and the city, asked unseen", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "tool-router", {}, 24);
    expect(plain.finished.toolCalls).toEqual([]);
    expect(modded.finished).toMatchObject({ reason: "tool_calls", text: "" });
    expect(callsOf(modded)).toEqual([["get_weather", { city: "Paris" }]]);
  });

  test("tool-router: another tool", async () => {
    const messages = [{ role: "user", content: "How late is it in New York?" }] as const;
    const { modded } = await runModded(model(), "tool-router", { messages });
    expect(callsOf(modded)).toEqual([["get_time", { city: "New York" }]]);
  });

  test("tool-router: no tool, and the model answers as without it", async () => {
    const messages = [{ role: "user", content: "Tell me a joke." }] as const;
    const { plain, modded } = await runPlainAndModded(model(), "tool-router", { messages, maxTokens: 160 });
    expect(modded.finished.toolCalls).toEqual([]);
    expect(modded.finished.text.length).toBeGreaterThan(20);
    expect(plain.finished.text.startsWith(modded.finished.text.slice(0, 60))).toBe(true);
  });

  test("any-tool: chooses among the request's tools, and fills in what its schema asks for", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "any-tool", {}, 24);
    expect(plain.finished.toolCalls).toEqual([]);
    expect(callsOf(modded)).toEqual([["send_mail", { to: "anna@example.com", subject: "Picnic on Sunday" }]]);
  });

  test("any-tool: the other tool", async () => {
    const messages = [{ role: "user", content: "I want to hear music by Mozart." }] as const;
    const { modded } = await runModded(model(), "any-tool", { messages });
    expect(callsOf(modded)).toEqual([["play_music", { artist: "Mozart" }]]);
  });

  test("any-tool: does nothing where there is none", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "any-tool", { tools: [], maxTokens: 16 });
    expect(modded.finished.text).toBe(plain.finished.text);
  });

  const cancel: Message = { role: "user", content: "Please cancel my booking ABC123." };
  const lookedUp = (content: string): readonly Message[] => [
    cancel,
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "1", type: "function", function: { name: "get_booking", arguments: '{"booking":"ABC123"}' } },
      ],
    },
    { role: "tool", tool_call_id: "1", content },
  ];

  test("airline-agent: looks the booking up first", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "airline-agent", {}, 24);
    expect(plain.finished.toolCalls).toEqual([]);
    expect(callsOf(modded)).toEqual([["get_booking", { booking: "ABC123" }]]);
  });

  test("airline-agent: cancels what is insured", async () => {
    const { modded } = await runModded(model(), "airline-agent", { messages: lookedUp('{"insured":true}') });
    expect(callsOf(modded)).toEqual([["cancel_booking", { booking: "ABC123" }]]);
  });

  test("airline-agent: calls for a human where it is not", async () => {
    const { modded } = await runModded(model(), "airline-agent", { messages: lookedUp('{"insured":false}') });
    expect(modded.finished).toMatchObject({
      reason: "stop",
      text: "I will hand you over to a colleague: this needs a human.",
    });
  });
});
