/** Files for any server. Nothing of it is for midtoken: without it, `next start` serves the page as well. */
export default { output: "export" };
