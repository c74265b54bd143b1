/** The text of `--help`. Each default comes from the table that the command itself uses. */
import { requestDefaults, sharedDefaults } from "../../../core/base/request-defaults.ts";
import { nodeDeadlines } from "../node-session.ts";
import { defaultServerCapacity } from "../serve/front-door.ts";
import { defaultStoreLifetimeMs } from "../store/open-store.ts";
import { engineServerHelp } from "./engine-option.ts";
import { serveDefaults } from "./serve-defaults.ts";
import { watchHelp } from "./watch-command.ts";

export const overview = `midtoken: change what a language model says while it says it

  midtoken run    answers a prompt, with mods, and saves the timeline
  midtoken serve  serves OpenAI's API on this machine
  midtoken test   runs mods on a list of prompts, and reports changed answers
  midtoken watch  asks a hosted service, and saves a timeline of its log-probabilities

midtoken COMMAND --help lists its options. Models run on WebAssembly. Mods run in a QuickJS sandbox and cannot reach files or the network; the exception is serve --trusted-mods.
`;

const model = `  --model MODEL         a model's folder, its address (https://…), or its id on Hugging Face
                        (owner/name), whose files are saved in the user's cache. $HF_TOKEN is the Hugging
                        Face access token for gated and private models
  --dtype DTYPE         type of the weights: q4, int8, fp32, …; by default the best in the folder
  --mod FILE            a mod in TypeScript; repeat for more mods, which run in this order.
                        FILE#NAME runs the export NAME
`;

const answer = `  --system TEXT         the system message
  --max-tokens N        maximum number of tokens in an answer; ${requestDefaults.run.maxTokens} by default
  --temperature T       0 always takes the most likely token
  --top-k N, --top-p P, --min-p P, --repetition-penalty X, --presence-penalty X, --frequency-penalty X
                        how tokens are sampled, as in the API
  --seed N              the same seed gives the same answer
  --stop TEXT           the answer ends where TEXT appears; repeat for more texts
`;

const helps: Readonly<Record<string, string>> = {
  run: `midtoken run --model MODEL [--mod FILE …] [--prompt TEXT]

Prints the answer as the model writes it. Without --prompt, the prompt is read from standard input.

${model}  --engine URL          a llama.cpp, vLLM or SGLang server that runs the model; --model then names its tokenizer.
                        $MIDTOKEN_ENGINE_KEY is the server's key
${engineServerHelp}  --prompt TEXT         the prompt
${answer}  --ban TEXT            text that the answer must not contain, in upper or lower case; repeat for more texts
  --no-heal             turns off token healing, which lets a prompt or an inserted text end in the middle of a word
  --raw                 continues the prompt as it is, without a chat template
  --on-mod-error WORD   stop or continue; ${sharedDefaults.onModError} by default
  --deadline MS         time limit of a mod: by default ${nodeDeadlines.event} for each event, ${nodeDeadlines.load} for loading and for the prompt
  --trace FILE          saves the timeline in a file that any Midtoken page can open
  --viewer ADDRESS      page that the printed link opens; $MIDTOKEN_VIEWER by default
  --no-link             prints no link
  --json                one JSON value at the end instead of the text

Exit code: 0 on success; 1 if a mod or the request failed; 2 for an invalid command line; 130 after Ctrl-C.
`,
  serve: `midtoken serve --model MODEL [--mod FILE …] [--port N]

Serves an OpenAI-compatible API: POST /v1/chat/completions, /v1/completions, /v1/responses and /v1/embeddings,
GET /v1/models, GET, POST and DELETE /v1/mods, GET /v1/requests/ID/trace, GET /health. A request for the model
"ID/MOD" runs the mod MOD on the model ID.

${model}  --engine URL          a llama.cpp, vLLM or SGLang server that runs the model; --model then names its tokenizer.
                        Repeat for more servers of the same model. $MIDTOKEN_ENGINE_KEY holds their API key
${engineServerHelp}  --port N              ${serveDefaults.port} by default; 0 chooses a free port
  --host NAME           address to listen on; ${serveDefaults.host} by default. Other addresses let other machines connect;
                        in that case, use --key-file
  --allow-host NAME     another host name that the server accepts, such as its name behind a proxy; repeat for more
  --origin ORIGIN       a site or an app whose pages may send requests, exactly as browsers write it: https://example.com,
                        chrome-extension://ID, tauri://localhost, app://NAME; null for pages without an origin,
                        "*" for every page; repeat for more
  --key-file FILE       API keys, one per line: KEY NAME mods concurrent=N rpm=N tpm=N (requests and tokens per
                        minute); only KEY is required. The word "mods" matters only with --fixed-mods. Other users
                        must not be able to read the file: run chmod 600 FILE. SIGHUP reads the file again
  --log FORMAT          one line per request, without any texts or keys: text, json or off; ${serveDefaults.log} by default
  --queue N             number of requests that may wait; others get a 429 with Retry-After
  --connections N       maximum number of requests, running and waiting together; ${defaultServerCapacity.requests} by default. Others
                        get a 503
  --timeout SECONDS     time limit of a request; no limit by default
  --metrics             serves GET /metrics in Prometheus's format to everyone who can reach the server
  --mods FOLDER         registers every file in the folder, except mods.json, as a mod; the folder may be read-only.
                        mods.json may set the deadlines, the memory and the sandbox of each mod: see docs/gateway.md
  --fixed-mods          only keys with the word "mods" in the key file may register and remove mods over HTTP
  --trusted-mods        the mods of --mod and --mods run in this process, without a sandbox and without enforced time
                        limits: for your own files only. mods.json can put individual mods into sandboxes. Mods
                        registered over HTTP always run in sandboxes
  --store PLACE         where to save traces, responses and mods registered over HTTP, so that they survive a
                        restart and other servers can use them. PLACE is a folder, redis://HOST:PORT or
                        postgres://USER:PASSWORD@HOST/DATABASE; without it, they are in memory only
  --store-hours N       hours after which a store deletes traces and responses; ${defaultStoreLifetimeMs / 3_600_000} by default
  --drain SECONDS       time for open requests to finish after Ctrl-C or SIGTERM, while new requests are refused; ${serveDefaults.drainSeconds} by default

Without --engine, repeat --model to serve several models.
`,
  test: `midtoken test FILE … [--update]

Runs the mods of each file on its prompts. Checks each answer against "expect" and against the stored answer
(FILE.snapshot.json), and reports answers that differ. The default export of a file is
{ model, mods, cases: [{ name, prompt, expect }] }, of type ModTests from "midtoken/node".

  --update              stores the answers of this run
  --ci                  fails if an answer is not stored yet, instead of storing the answer; always on if $CI is set
  --model MODEL         replaces the model that the files name
  --dtype DTYPE         type of the weights: q4, int8, fp32, …
  --json                one JSON value at the end

Exit code: 0 if every answer is as expected and as stored; 1 otherwise; 2 for an invalid command line.
`,
  watch: watchHelp,
};

export function helpFor(command: string): string {
  return helps[command] ?? overview;
}
