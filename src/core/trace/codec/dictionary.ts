/**
 * Text that deflate may refer to: typical parts of mods and stories. The most frequent texts are last, where references are
 * shortest. A link that was packed with this text can be read only with the same text.
 */
const settingsText = `models/ model_quantized.onnx model_q4f16.onnx model_fp16.onnx onnx/model_q4.onnx onnx/model.onnx onnx-community/ HuggingFaceTB/SmolLM2-135M-Instruct Qwen2.5-0.5B-Instruct Llama-3.2-1B-Instruct swiftshader nvidia apple intel req_ call_ user assistant system You are a helpful assistant. <|im_start|>system
<|im_end|>
<|im_start|>user
<|im_end|>
<|im_start|>assistant
models/stories260k main onnx/model.onnx Once upon a time`;

const storyText = ` Tim Lily Tom Max Sue Ben Mia Sam Anna Lucy Jack Timmy Sara Spot dog cat bird fish bear rabbit mouse tree flower garden house park forest river water sun sky rain snow ball toy car truck box book cake cookie apple hat dress door bed room kitchen mom dad mommy daddy mother father sister brother grandma friend friends boy girl man woman people animals red blue green yellow small tiny pretty beautiful new old nice kind good bad sad mad scared brave careful tired hungry excited proud sorry surprised love loved like liked want wanted play played playing run ran walk walked look looked see saw find found help helped make made take took give gave get got go went come came eat ate say said ask asked tell told think thought know knew feel felt try tried smile smiled laugh laughed cry cried jump jumped hug hugged share thank you please yes no oh wow hello hi because when then but so too very always never again away back down inside outside together every morning night after before around near under over into from about their them there they with his him her she the moral of the story is. They lived happily ever after. The end. From that day on, They were very happy and they played together all day. "Thank you!" said "Yes, " "I am sorry," he said. "Can I " she asked. Suddenly, But then, He was very She was so happy. He wanted to She wanted to They went to the and saw a One day, Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball. `;

const modText = `  const text = new RegExp(Math.max(Math.min(Math.random() Object.entries(JSON.stringify(JSON.parse(Array.from(new Set(new Map< as const; : string : number : boolean null undefined typeof event.type) { case "default: for (const of ) { while (true) { continue; break; try { } catch (error) { throw new Error( else { .length; .includes(.startsWith(.endsWith(.indexOf(.slice(.split(.join(.map(({ token }) => token)
      .filter((.some((.every((.find((.at(-1)?.content.push(.has(.add(.set(.get(step) ?? [];.trim().toLowerCase().replace(.match(.test(.exec(.toFixed(3)); => { === 0 !== && || Math.exp(logprob) Math.log(0.
// The model
// When the
console.log(\`console.warn(actions.forceOutput(actions.toolCalls({ name: "", arguments: { id: type: "function" actions.error(actions.adjustPrefill(getConversation()tokenizer.tokenText(token)tokenizer.decode(tokenizer.encode(event.messages event.maxTokens event.tools event.forced event.source event.removed event.reason event.usage.completionTokens event.logprob < event.logits event.step - event.tokens.length;
import { mod, requestState, getConversation } from "midtoken/mod";
const tail = requestState(() => "");
const seen = requestState(() => false);
  if (event.isEos || .current) return;
    .current = true;
    .current = (.current + event.text).slice(-
  name: "",
  topK: 64,
  prefilled(event, actions, tokenizer) {
  sampled(event, actions) {
  backtracked(event) {
  finished(event) {
    if (event.text === " ") return actions.forceTokens(" ");
    if (event.text.includes(
      return actions.noop();
    if (ban.length > 0) return actions.adjustLogits({ ban });
  forwardPass(event, actions, tokenizer) {
    for (const { token, logprob } of event.topK(
    return actions.backtrack(event.tokens.length, " ");
    }
  },
  added(event, actions) {
  },
});
import { mod } from "midtoken/mod";

export default mod({
`;

export const presetDictionary: Uint8Array<ArrayBuffer> = new TextEncoder().encode(
  modText + settingsText + storyText,
);
