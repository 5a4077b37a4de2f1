import { App } from "aws-cdk-lib";
import { PollerError } from "../lib/errors.ts";
import { configFromContext } from "./config-from-context.ts";
import { warnOfPlaceholders } from "./placeholder-warning.ts";
import { SurveyPollerStack } from "./stack.ts";

const app = new App();
try {
  const stack = new SurveyPollerStack(app, "SurveyPoller", { config: configFromContext(app.node) });
  warnOfPlaceholders(stack);
} catch (error) {
  if (!(error instanceof PollerError)) throw error;
  process.stderr.write(`${error.message}\n${error.hint}\n`);
  // Leaves at once: an app that ends by itself would still synthesise the half-made stack.
  process.exit(1);
}
