/** The text of `--help`. Each default comes from the table that the command reads. */
import { requestDefaults, sharedDefaults } from "../../../core/base/request-defaults.ts";
import { nodeDeadlines } from "../node-session.ts";
import { defaultLifetime } from "../store/open-store.ts";
import { serveDefaults } from "./serve-defaults.ts";

export const overview = `midtoken: change what a language model says while it says it

  midtoken run    answers a prompt, with mods, and saves the timeline
  midtoken serve  answers OpenAI's API on this machine
  midtoken test   runs mods over a table of prompts, and says what changed

midtoken COMMAND --help says more. Models run on WebAssembly; mods run in QuickJS, apart from this machine.
`;

const model = `  --model MODEL         a model's folder, its address (https://…), or its id on the hub (owner/name),
                        whose files are saved in the user's cache. $HF_TOKEN is the hub's access token for
                        gated and private models
  --dtype DTYPE         of the weights: q4, int8, fp32, …; else the best that lies there
  --mod FILE            a mod, TypeScript; again for more, which are asked in this order.
                        FILE#NAME runs the export NAME
`;

const answer = `  --system TEXT         a message before the prompt
  --max-tokens N        ${requestDefaults.run.maxTokens} unless given
  --temperature T       0 always takes the most likely token
  --top-k N, --top-p P, --min-p P, --repetition-penalty X, --presence-penalty X, --frequency-penalty X
                        which tokens may be drawn, as in the API
  --seed N              the same seed gives the same answer
  --stop TEXT           ends the answer; again for more
`;

const helps: Readonly<Record<string, string>> = {
  run: `midtoken run --model MODEL [--mod FILE …] [--prompt TEXT]

Writes the answer as it grows. The prompt is read from the standard input where --prompt is not given.

${model}  --engine URL          a llama.cpp server that runs the model; --model is then where its tokenizer lies.
                        $MIDTOKEN_ENGINE_KEY is the server's key
  --listed N            tokens that each step asks the server for: all of a small vocabulary, else 64
  --prompt TEXT
${answer}  --ban TEXT            the answer is not to contain the text, whatever the case of its letters; again for more
  --no-heal             a text before the model's own tokens keeps its tokens, even if it ends within a word
  --raw                 the model goes on with the prompt itself: no chat template
  --on-mod-error WORD   stop or continue; ${sharedDefaults.onModError} unless given
  --deadline MS         that a mod may take at each event: ${nodeDeadlines.event} unless given, ${nodeDeadlines.load} to load and at the prompt
  --trace FILE          writes the timeline: any Midtoken page opens it
  --viewer ADDRESS      of the page to which the printed link leads; $MIDTOKEN_VIEWER unless given
  --no-link             prints no link
  --json                one JSON value at the end, in place of the text

Exit code: 0; 1 where a mod or the request failed; 2 for a command that is not understood; 130 after Ctrl-C.
`,
  serve: `midtoken serve --model MODEL [--mod FILE …] [--port N]

Answers OpenAI's API: POST /v1/chat/completions, /v1/completions, /v1/responses and /v1/embeddings, GET /v1/models,
GET, POST and DELETE /v1/mods, GET /v1/requests/ID/trace, GET /health. Ask the model "ID/mod" to have a mod at work.

${model}  --engine URL          a llama.cpp server that runs the model; --model is then where its tokenizer lies. Again for more
                        servers of the same model. $MIDTOKEN_ENGINE_KEY is their key
  --listed N            tokens that each step asks the server for: all of a small vocabulary, else 64
  --port N              ${serveDefaults.port} unless given; 0 takes a free one
  --host NAME           ${serveDefaults.host} unless given. Another one lets other machines in: give --key-file, too
  --allow-host NAME     a further name that the server answers to, such as its name behind a proxy; again for more
  --origin ORIGIN       a site or an app whose pages may ask, exactly as browsers send it: https://example.com,
                        chrome-extension://ID, tauri://localhost, app://NAME; null for pages of no site, "*" for
                        every page; again for more
  --key-file FILE       API keys, one a line: KEY NAME concurrent=N rpm=N tpm=N, limits as you like. Only you may
                        read the file (chmod 600). It is read again on SIGHUP
  --log FORMAT          a line for each request, without texts and keys: text, json or off; ${serveDefaults.log} unless given
  --queue N             requests that may wait for their turn; a further one gets a 429 with Retry-After
  --connections N       requests in progress at once, those that wait included; 256 unless given. A further one gets a 503
  --timeout SECONDS     that a request may take with its answer; any time unless given
  --metrics             GET /metrics, in Prometheus's format, for everyone who reaches the server
  --mods FOLDER         every file in it is a mod; the folder may be read-only
  --fixed-mods          only keys with the word "mods" may register and remove mods over HTTP
  --trusted-mods        the mods of --mod and --mods run in this process, without a sandbox and without deadlines that end
                        them: for your own files only. Mods that come over HTTP stay in sandboxes
  --store PLACE         saves traces, responses and mods registered over HTTP, for later starts and for other gateways: a
                        folder, or redis://HOST:PORT, which needs the packages keyv and @keyv/redis. Memory unless given
  --store-hours N       for which a store keeps traces and responses; ${defaultLifetime / 3_600_000} unless given
  --drain SECONDS       for which answers go on after Ctrl-C or SIGTERM, while new requests are refused; ${serveDefaults.drainSeconds} unless given

--model may be given again, for several models that run here.
`,
  test: `midtoken test FILE … [--update]

Runs the mods of each file over its prompts, checks what is expected of the answers, and says what changed since the answers
were stored (FILE.snapshot.json). A file exports by default { model, mods, cases: [{ name, prompt, expect }] }; its type is
ModTests of "midtoken/node".

  --update              stores what the answers are now
  --ci                  fails where nothing is stored, in place of storing it; so does a set $CI
  --model MODEL         in place of the files' own
  --dtype DTYPE
  --json                one JSON value at the end

Exit code: 0 where all is as expected and as stored, else 1; 2 for a command that is not understood.
`,
};

export function helpFor(command: string): string {
  return helps[command] ?? overview;
}
