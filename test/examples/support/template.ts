import { App, type Stack, Validations } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { temporaryFolder } from "../../support/command.ts";

/** Findings of cdk-nag that every example leaves, so that its stack shows nothing but its subject. */
const ACCEPTED = [
  // The managed policy lets a function write its own log.
  "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
];

/** For functions whose packages come from the network. */
export const UNBUNDLED = { "aws:cdk:bundling-stacks": [] };

export interface Synthesized {
  template: Template;
  /** What cdk-nag has found, but for what every example leaves. */
  findings: string[];
}

/**
 * The template of an example, whose functions are bundled as for a deployment.
 *
 * @param context of the app, such as `UNBUNDLED`
 */
export function synthesizeExample(make: (app: App) => Stack, context: Record<string, unknown> = {}): Synthesized {
  const app = new App({ context, outdir: temporaryFolder() });
  const template = Template.fromStack(make(app));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { template, findings: findingsOf(app).filter((id) => !ACCEPTED.includes(id)) };
}

function findingsOf(app: App): string[] {
  try {
    app.synth({ force: true });
    return [];
  } catch (error) {
    const ids = [...String(error).matchAll(/Acknowledge with 'AwsSolutions::([^']+)'/g)].map(([, id = ""]) => id);
    // Not a report of findings.
    if (ids.length === 0) throw error;
    return [...new Set(ids)].sort();
  }
}
