/** Draws the pictures of docs/architecture.md from the code. Usage: npm run pictures */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { DRAWN_CONFIG } from "./drawn-config.ts";
import { drawPage, PAGE } from "./pictures.ts";

const outdir = mkdtempSync(join(tmpdir(), "survey-poller-pictures-"));
try {
  const { context } = JSON.parse(readFileSync("cdk.json", "utf8")) as { context: Record<string, unknown> };
  const stack = new SurveyPollerStack(new App({ context, outdir }), "Pictures", { config: DRAWN_CONFIG });
  writeFileSync(PAGE, drawPage(readFileSync(PAGE, "utf8"), Template.fromStack(stack).toJSON()));
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
console.log(`${PAGE} is drawn`);
