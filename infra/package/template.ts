import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  App,
  CfnCondition,
  CfnOutput,
  CfnParameter,
  type CfnParameterProps,
  DefaultStackSynthesizer,
  Fn,
  type ICfnConditionExpression,
} from "aws-cdk-lib";
import { CfnDashboard } from "aws-cdk-lib/aws-cloudwatch";
import type { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { CfnSubscription } from "aws-cdk-lib/aws-sns";
import { zipSync } from "fflate";
import { isObject } from "../../lib/json.ts";
import { acknowledgeFinding } from "../findings.ts";
import { SurveyPollerStack } from "../stack.ts";

const CONTEXT = join(import.meta.dirname, "../../cdk.json");
const CODE = "poll.zip";

/** Stand in the template's texts until these are made references. */
const STACK = "NameOfTheStack";
const BUS = "NameOfTheBus";
const BUS_PARAMETER = "BusName";

/** What a synthesis has against the template: a parameter without a reference, code without a bucket, no zone. */
const OPEN = ["CloudFormation-Validate::W2001", "CloudFormation-Validate::W3002", "Annotation::survey-poller:start"];

interface Template {
  Resources: Record<string, { DeletionPolicy?: string; Metadata?: unknown }>;
  Parameters: Record<string, unknown>;
}

/**
 * Writes what brings the poller up without the CDK and without Node: the template, the function's zip, the template of what a deleted stack
 * leaves, and the Terraform module around them. The same sources give the same bytes.
 *
 * @param code the folder of the function's bundle
 */
export function writeTemplate(out: string, code: string): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "survey-poller-template-"));
  try {
    const template = synthesise(join(work, "cdk.out"));
    for (const [name, content] of Object.entries({ "survey-poller": template, kept: keptOf(template) })) {
      writeFileSync(join(out, `${name}.template.json`), `${JSON.stringify(content, null, 1)}\n`);
    }
    writeFileSync(join(out, CODE), zipped(code));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  cpSync(join(import.meta.dirname, "main.tf"), join(out, "main.tf"));
}

/** The stack of the CDK, with parameters in place of what somebody without the CDK has to say. */
function synthesise(outdir: string): Template {
  const { context } = JSON.parse(readFileSync(CONTEXT, "utf8")) as { context: Record<string, unknown> };
  const app = new App({ outdir, context, analyticsReporting: false });
  const stack = new SurveyPollerStack(app, STACK, {
    // "full" makes the dashboard, and the address a subscription: parameters say whether these are deployed.
    config: {
      sources: [{ baseUrl: "https://surveys.example.com" }],
      bus: { name: BUS },
      monitoring: { level: "full", email: "ops@example.com" },
    },
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
  });
  for (const id of OPEN)
    acknowledgeFinding(stack, { id, reason: "It is settled by `package` and by the values of the parameters." });
  const { pollFunction, config } = stack.poller;
  const parameters = createParameters(stack, config.sources[0]?.privacy.ip);
  const conditions = createConditions(stack, parameters);

  (pollFunction.node.defaultChild as CfnFunction).addPropertyOverride("Code", CODE);
  const variables = configurationVariables(parameters, conditions);
  for (const [name, value] of Object.entries(variables)) pollFunction.addEnvironment(name, value);
  for (const one of stack.node.findAll()) {
    if (one instanceof CfnSubscription) {
      one.endpoint = parameters.email;
      one.cfnOptions.condition = conditions.email;
    }
    if (one instanceof CfnDashboard) one.cfnOptions.condition = conditions.dashboard;
    if (one instanceof CfnOutput && one.node.id === "OutputDashboardUrl") one.condition = conditions.dashboard;
  }

  const template = app.synth().getStackByName(STACK).template as Template;
  for (const resource of Object.values(template.Resources)) delete resource.Metadata;
  return withReferences(template) as Template;
}

type Parameters = ReturnType<typeof createParameters>;
type Conditions = ReturnType<typeof createConditions>;

/** The schema of the configuration would refuse what their patterns refuse, but not before the function runs. */
function createParameters(stack: SurveyPollerStack, ip: string | undefined) {
  const parameter = (id: string, description: string, { allowedPattern: all, ...props }: CfnParameterProps): string => {
    const allowedPattern = all && `^(${all})$`;
    return new CfnParameter(stack, id, { description, ...props, allowedPattern }).valueAsString;
  };
  // A schema registry is named like the bus, and takes no longer name.
  parameter(BUS_PARAMETER, "The bus that gets the events. A second deployment needs one of its own.", {
    default: "survey-poller",
    allowedPattern: "(?!default$|aws\\.)[A-Za-z0-9._-]{1,64}",
    constraintDescription: "must be 1 to 64 letters, digits, dots, hyphens or underscores",
  });
  return {
    baseUrl: parameter("BaseUrl", "Address of the survey service. Another one later is refused by the poller.", {
      allowedPattern: "(https://[A-Za-z0-9.-]+|http://(localhost|127(\\.[0-9]+){3}))(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?",
      constraintDescription: "must be such as https://surveys.example.com, without credentials or a query",
    }),
    timeZone: parameter("TimeZone", "IANA zone of the service's dates. Without it events have local times alone.", {
      default: "",
      allowedPattern: "([A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*)?",
      constraintDescription: "must be such as Europe/Warsaw, or empty",
    }),
    startFrom: parameter("StartFrom", "Where history begins. It cannot be changed later.", {
      default: "now",
      allowedPattern: "now|beginning|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
      constraintDescription: "must be now, beginning or a date such as 2026-01-31",
    }),
    surveys: parameter("Surveys", "Which surveys are polled.", {
      default: "all",
      allowedPattern: "all|[1-9][0-9]{0,14}(,[1-9][0-9]{0,14})*",
      constraintDescription: "must be all, or ids such as 101,102",
    }),
    email: parameter("AlarmEmail", "Who is told of alarms. Whoever it is has to confirm the first mail.", {
      default: "",
      allowedPattern: "([^@\\s]+@[^@\\s]+\\.[^@\\s]+)?",
      constraintDescription: "must be an e-mail address, or empty",
    }),
    ip: parameter("PrivacyIp", "What becomes of respondents' IP addresses.", {
      default: ip,
      allowedValues: ["keep", "truncate", "drop"],
    }),
    level: parameter("Monitoring", "full adds metrics and a dashboard, at a price.", {
      default: "minimal",
      allowedValues: ["minimal", "full"],
    }),
    more: parameter("MoreConfiguration", "SSM parameter with what has no parameter here, as JSON, and its version.", {
      default: "",
      allowedPattern: "(/?[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*:[0-9]+)?",
      constraintDescription: "must be a name and a version such as /surveys/more:1, or empty",
    }),
  };
}

function createConditions(stack: SurveyPollerStack, { timeZone, surveys, email, more, level }: Parameters) {
  const condition = (id: string, expression: ICfnConditionExpression): CfnCondition =>
    new CfnCondition(stack, id, { expression });
  const isNot = (value: string, other: string) => Fn.conditionNot(Fn.conditionEquals(value, other));
  return {
    timeZone: condition("HasTimeZone", isNot(timeZone, "")),
    surveys: condition("HasSurveys", isNot(surveys, "all")),
    email: condition("HasAlarmEmail", isNot(email, "")),
    more: condition("HasMoreConfiguration", isNot(more, "")),
    dashboard: condition("HasDashboard", Fn.conditionEquals(level, "full")),
  };
}

/** The configuration as `configFromParameters` reads it. No value needs an escape: the patterns let no quote through. */
function configurationVariables(parameters: Parameters, conditions: Conditions): Record<string, string> {
  const { baseUrl, startFrom, timeZone, surveys, ip, level, more } = parameters;
  const where = (condition: CfnCondition, text: string, otherwise = ""): string =>
    Fn.conditionIf(condition.logicalId, text, otherwise).toString();
  const source = [
    `"baseUrl":"${baseUrl}","startFrom":"${startFrom}","privacy":{"ip":"${ip}"}`,
    where(conditions.timeZone, `,"timeZone":"${timeZone}"`),
    where(conditions.surveys, `,"surveys":{"include":[${surveys}]}`),
  ].join("");
  return {
    CONFIG: `{"sources":[{${source}}],"bus":{"name":"${BUS}"},"monitoring":{"level":"${level}"}}`,
    MORE_CONFIG: where(conditions.more, `{{resolve:ssm:${more}}}`, "{}"),
  };
}

/** The template with the names of the stack and of the bus as they are at the deployment. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withReferences(one)]));
  if (typeof value !== "string") return value;
  const references: Record<string, unknown> = { [STACK]: { Ref: "AWS::StackName" }, [BUS]: { Ref: BUS_PARAMETER } };
  const parts = value.split(new RegExp(`(${STACK}|${BUS})`));
  const named = parts.filter((part) => part !== "").map((part) => references[part] ?? part);
  if (parts.length === 1) return value;
  return named.length === 1 ? named[0] : { "Fn::Join": ["", named] };
}

/** What a deleted stack leaves: a new one imports it before it is deployed. Outputs cannot be imported. */
function keptOf({ Resources, Parameters }: Template): object {
  const kept = Object.entries(Resources).filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith("Retain"));
  return { Parameters: { [BUS_PARAMETER]: Parameters[BUS_PARAMETER] }, Resources: Object.fromEntries(kept) };
}

/** A zip of a folder's files. Their time is always the same: the name of the object in S3 is made of the bytes. */
function zipped(folder: string): Uint8Array {
  const files = readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]);
  return zipSync(Object.fromEntries(files) as Record<string, Uint8Array>, { level: 9, mtime: new Date(1980, 0, 1) });
}
