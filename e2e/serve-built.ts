/** The built page under a sub-path, as any static host would serve it, and the test models beside it. Used by playwright.config.ts. */
import { buildPageIfStale } from "../scripts/build-page.ts";
import { listModels } from "../scripts/list-models.ts";
import { modelsFolder } from "../scripts/models-folder.ts";
import { attachSignalling } from "../scripts/signalling.ts";
import { createStaticServer } from "../scripts/static-server.ts";

const folder = await buildPageIfStale(() => console.log("Building the page …"));
const models = modelsFolder();
const server = createStaticServer({
  pages: { "/some/sub/path/": folder },
  models: models ? { "/some/sub/path/local-models/": models } : {},
  json: {
    "/some/sub/path/local-models.json": async () => (models ? listModels(models) : []),
    "/some/sub/path/live.json": async () => ({ signalling: "live" }),
  },
});
attachSignalling(server, { path: "/some/sub/path/live" });
server.listen(Number(process.env.BUILT_PORT ?? 5198), "127.0.0.1");
