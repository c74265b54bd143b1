import { expect, test } from "vitest";
import { withoutAddresses } from "./remote-error.ts";

const origins = ["http://engine:80", "http://engine:8080"];

test.each([
  ["http://engine:8080 failed (500).", "The model server failed (500)."],
  ["No server answers at http://engine:80.", "No server answers at the address of the model server."],
  ["The connection to http://engine:8080 ended.", "The connection to the model server ended."],
  ["The response of http://other is not JSON.", "The response of http://other is not JSON."],
])("%s", (message, expected) => {
  expect(withoutAddresses(message, origins)).toBe(expected);
});
