import { Annotations, App } from "aws-cdk-lib";
import { PollerError } from "../lib/errors.ts";
import { appSettings, configFromContext } from "./app-settings.ts";
import { placeholders } from "./left-out.ts";
import { SurveyPollerStack } from "./stack.ts";

/** The command line protects a stack before its first deployment, and one that failed could then not be made again. */
const UNPROTECTED =
  'nothing protects the stack from deletion: once it stands, put "terminationProtection": true into the context of cdk.json, and deploy again';

const app = new App();
try {
  const { stackName, ...settings } = appSettings(app.node);
  const stack = new SurveyPollerStack(app, stackName, { ...settings, config: configFromContext(app.node) });
  for (const line of placeholders(stack.poller.config))
    Annotations.of(stack).addWarningV2("survey-poller:placeholder", line);
  // Said here as well as in annotations: the command line prints none of those that only inform.
  const unsaid = settings.terminationProtection === undefined ? [UNPROTECTED] : [];
  for (const line of [...stack.poller.leftOut, ...unsaid]) process.stderr.write(`${stackName}: ${line}\n`);
} catch (error) {
  if (!(error instanceof PollerError)) throw error;
  process.stderr.write(`${error.message}\n${error.hint}\n`);
  // Leaves at once: an app that ends in the usual way would still synthesise the half-made stack.
  process.exit(1);
}
