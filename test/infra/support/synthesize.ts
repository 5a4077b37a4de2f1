import { readFileSync } from "node:fs";
import { App, type Environment, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { SurveyPollerStack } from "../../../infra/stack.ts";
import type { ConfigInput } from "../../../lib/config/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const { context } = JSON.parse(readFileSync("cdk.json", "utf8")) as { context: Record<string, unknown> };

/** An app as `cdk` would run it: the feature flags of cdk.json change templates. */
export function createApp(): App {
  return new App({ context, outdir: temporaryFolder() });
}

const templates = new Map<string, Template>();

/** The template of a configuration. Each is made once in a file: a synthesis takes a second. */
export function synthesize(config: ConfigInput): Template {
  const key = JSON.stringify(config);
  const template = templates.get(key) ?? Template.fromStack(new SurveyPollerStack(createApp(), "Test", { config }));
  templates.set(key, template);
  return template;
}

/** A stack of somebody else, filled by `fill`. */
export function synthesizeOwn(fill: (stack: Stack) => unknown, env?: Environment): Template {
  const stack = new Stack(createApp(), "Own", env === undefined ? {} : { env });
  fill(stack);
  return Template.fromStack(stack);
}
