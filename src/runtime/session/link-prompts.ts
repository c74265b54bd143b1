/** The page's end of prompts that are shown as the model sees them, without a request. */
import type { EngineMessage, PageMessage, PromptRequest } from "./protocol.ts";

export interface PromptToken {
  readonly token: number;
  readonly text: string;
}

interface Tokenizing {
  readonly message: Extract<PageMessage, { type: "tokenize" }>;
  resolve(tokens: readonly PromptToken[]): void;
  reject(error: Error): void;
}

export class LinkPrompts {
  readonly #post: (message: PageMessage) => void;
  readonly #open = new Map<number, Tokenizing>();

  constructor(post: (message: PageMessage) => void) {
    this.#post = post;
  }

  get count(): number {
    return this.#open.size;
  }

  /** @param onCancel called when it was cancelled before its end. Rejects with an AbortError then. */
  async tokenize(
    id: number,
    prompt: PromptRequest,
    signal: AbortSignal | undefined,
    onCancel: () => void,
  ): Promise<readonly PromptToken[]> {
    const cancel = () => {
      onCancel();
      this.fail(id, new DOMException("Showing the prompt was cancelled.", "AbortError"));
    };
    const tokens = new Promise<readonly PromptToken[]>((resolve, reject) => {
      signal?.throwIfAborted();
      const message = { type: "tokenize", id, prompt } as const;
      this.#open.set(id, { message, resolve, reject });
      signal?.addEventListener("abort", cancel);
      this.#post(message);
    });
    return tokens.finally(() => signal?.removeEventListener("abort", cancel));
  }

  receive(message: Extract<EngineMessage, { type: "tokenized" | "tokenizeFailed" }>): void {
    if (message.type === "tokenizeFailed") this.fail(message.id, new Error(message.message));
    else {
      this.#open.get(message.id)?.resolve(message.tokens);
      this.#open.delete(message.id);
    }
  }

  /** To another worker, those that were not answered. */
  postAgain(): void {
    for (const { message } of this.#open.values()) this.#post(message);
  }

  fail(id: number, error: Error): void {
    this.#open.get(id)?.reject(error);
    this.#open.delete(id);
  }

  failAll(error: Error): void {
    for (const id of [...this.#open.keys()]) this.fail(id, error);
  }
}
