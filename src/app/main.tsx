/** Entry of the page: theme first, then the view that the address asks for. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./app.css";
import "./print.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { createPageStores } from "./store/stores.ts";
import { followTheme } from "./theme.ts";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root.");
const page = createPageStores();
followTheme(page.settings);
createRoot(root).render(
  <StrictMode>
    <App page={page} loadPlayground={() => import("./playground-entry.tsx")} />
  </StrictMode>,
);
