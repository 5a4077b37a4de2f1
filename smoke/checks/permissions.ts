import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRolePolicyCommand,
  type IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
  SimulatePrincipalPolicyCommand,
} from "@aws-sdk/client-iam";
import { GetFunctionConfigurationCommand } from "@aws-sdk/client-lambda";
import { describeStack, outputsOf, type Resource, resourcesOf } from "../aws/stacks.ts";
import { left, outputOf, type SmokeCheck, type SmokeContext } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";

export interface Statement {
  Sid?: string;
  Effect: string;
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** An action on a resource, by ARN. */
interface Request {
  action: string;
  resource: string;
}

/** What a role's policies allow, IAM says by simulation: with whatever the organization and boundaries forbid. And what they must not allow. */
export const permissionsSimulated: SmokeCheck = {
  name: "permissions-simulated",
  needs: [],
  after: ["poller"],
  deadline: 300_000,
  async run(context) {
    const userStack = left(context.userStack, "the deployed stack");
    const shown: string[] = [];
    const functions = new Map([
      [context.options.stack, outputNamed(userStack.outputs, "PollFunctionName")],
      [NAMES.pollerStack, outputOf(context, "pollFunction", OUTPUTS)],
    ]);
    for (const [stack, functionName] of functions) {
      mustBe(
        functionName !== undefined,
        `stack ${stack} has no output PollFunctionName`,
        "deploy it again from this checkout",
      );
      const role = await roleOf(context, functionName);
      const resources = await resourcesOf(context.aws.cloudFormation, stack);
      const made = resources.filter(({ type }) => type === "AWS::IAM::ManagedPolicy");
      const statements = await statementsOf(
        context.aws.iam,
        role,
        made.map(({ physicalId }) => physicalId),
      );
      // In a VPC one statement denies: it takes from the code what Lambda alone may do.
      const allowing = statements.filter(({ Effect }) => Effect === "Allow");
      const allowed = allowing.flatMap(requestsOf);
      for (const statement of allowing) await mustAllow(context.aws.iam, role, statement);
      const denied = await deniedRequests(context, stack, functionName, role, resources);
      await mustDeny(context.aws.iam, role, denied);
      shown.push(
        `${stack}: ${allowing.length} statements with ${allowed.length} actions are allowed, ${denied.length} others denied`,
      );
    }
    return shown.join("; ");
  },
};

/** In an app of somebody's own the construct's id stands before the name of an output. With several sources their names stand behind it. */
function outputNamed(outputs: Record<string, string>, name: string): string | undefined {
  return outputs[name] ?? Object.entries(outputs).find(([key]) => key.includes(name))?.[1];
}

export async function roleOf({ aws: { lambda } }: SmokeContext, FunctionName: string): Promise<string> {
  const { Role } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  return left(Role, "the function's role");
}

/**
 * The statements of a role's own policies. Others must not be attached: they would allow what is not stated in the template.
 *
 * @param made ARNs of policies that the stack has made: with many sources not all statements find room in the role
 */
export async function statementsOf(iam: IAMClient, role: string, made: readonly string[] = []): Promise<Statement[]> {
  const RoleName = left(role.split("/").at(-1), "its name");
  const { AttachedPolicies = [] } = await iam.send(new ListAttachedRolePoliciesCommand({ RoleName }));
  const attached = AttachedPolicies.map(({ PolicyArn = "" }) => PolicyArn);
  const strange = attached.filter((arn) => !made.includes(arn));
  mustBe(strange.length === 0, `role ${RoleName} has policies ${strange}`, "detach what the template does not have");
  const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
  const statements: Statement[] = [];
  for (const PolicyName of PolicyNames) {
    const { PolicyDocument = "" } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
    statements.push(...statementsIn(PolicyDocument));
  }
  for (const PolicyArn of attached) {
    const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn }));
    const asked = { PolicyArn, VersionId: Policy?.DefaultVersionId };
    const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand(asked));
    statements.push(...statementsIn(PolicyVersion?.Document ?? ""));
  }
  return statements;
}

function statementsIn(document: string): Statement[] {
  const { Statement: all } = JSON.parse(decodeURIComponent(document)) as { Statement: unknown };
  return (
    [all].flat() as (Omit<Statement, "Action" | "Resource"> & {
      Action: string | string[];
      Resource: string | string[];
    })[]
  ).map(({ Action, Resource, ...rest }) => ({ ...rest, Action: [Action].flat(), Resource: [Resource].flat() }));
}

function requestsOf({ Action, Resource }: Statement): Request[] {
  return Action.flatMap((action) => Resource.map((resource) => ({ action, resource: anyOf(resource) })));
}

/** One of the resources that a pattern stands for. */
function anyOf(pattern: string): string {
  return pattern === "*" ? pattern : pattern.replaceAll(/[*?]/g, "x");
}

async function mustAllow(iam: IAMClient, role: string, statement: Statement): Promise<void> {
  const refused = await refusedOf(iam, role, requestsOf(statement), contextOf(statement));
  const todo = "look for a service control policy, a permissions boundary, or a policy changed by hand";
  mustBe(refused.length === 0, `statement ${statement.Sid} does not get ${refused.map(text)}`, todo);
}

async function mustDeny(iam: IAMClient, role: string, requests: readonly Request[]): Promise<void> {
  const refused = new Set((await refusedOf(iam, role, requests, [])).map(text));
  const granted = requests.map(text).filter((one) => !refused.has(one));
  mustBe(granted.length === 0, `the role may do ${granted}`, "take it out of infra/permissions.ts");
}

const text = ({ action, resource }: Request): string => `${action} on ${resource}`;

/** Those of the requests that IAM would refuse. */
async function refusedOf(
  iam: IAMClient,
  role: string,
  requests: readonly Request[],
  ContextEntries: { ContextKeyName: string; ContextKeyType: "string"; ContextKeyValues: string[] }[],
): Promise<Request[]> {
  const refused: Request[] = [];
  // One question for each resource: IAM lets few be asked in a second.
  for (const [resource, some] of Map.groupBy(requests, (one) => one.resource)) {
    const asked = new SimulatePrincipalPolicyCommand({
      PolicySourceArn: role,
      ActionNames: some.map(({ action }) => action),
      ResourceArns: [resource],
      ContextEntries,
    });
    const { EvaluationResults = [] } = await iam.send(asked);
    for (const request of some) {
      const result = EvaluationResults.find(({ EvalActionName }) => EvalActionName === request.action);
      mustBe(result !== undefined, `IAM says nothing of ${text(request)}`, "run it again");
      if (result.EvalDecision !== "allowed") refused.push(request);
    }
  }
  return refused;
}

/** What must be so of a request for a statement's conditions to hold. */
function contextOf({ Condition = {} }: Statement) {
  return Object.values(Condition).flatMap((keys) =>
    Object.entries(keys).map(([ContextKeyName, values]) => ({
      ContextKeyName,
      ContextKeyType: "string" as const,
      ContextKeyValues: [values].flat().map((value) => value.replaceAll("*", "amazonaws.com")),
    })),
  );
}

/** What nobody who polls needs, on what there is, and on what is somebody else's. */
async function deniedRequests(
  { aws }: SmokeContext,
  stack: string,
  functionName: string,
  role: string,
  resources: readonly Resource[],
): Promise<Request[]> {
  const described = left(await describeStack(aws.cloudFormation, stack), `stack ${stack}`);
  const [, partition = "aws", , region = "", account = ""] = left(described.StackId, "its id").split(":");
  const arn = (service: string, name: string): string => `arn:${partition}:${service}:${region}:${account}:${name}`;
  const outputs = outputsOf(described);
  // The construct names its outputs one way, the smoke another. A bucket is no output of older deployments.
  const output = (name: string, own: keyof typeof OUTPUTS): string | undefined =>
    outputNamed(outputs, name) ?? outputs[OUTPUTS[own]];
  const table = arn("dynamodb", `table/${left(output("TableName", "table"), "the table")}`);
  const madeBucket = resources.find(({ type }) => type === "AWS::S3::Bucket")?.physicalId;
  const bucket = `arn:${partition}:s3:::${left(output("ClaimCheckBucketName", "bucket") ?? madeBucket, "the bucket")}`;
  const bus = left(output("BusArn", "busArn")?.split("/").at(-1), "the bus");
  const credentials = arn("secretsmanager", `secret:${output("CredentialsSecretName", "credentials")}-AbCdEf`);
  const queueUrl = output("DeadLetterQueueUrl", "deadLetters");
  const deadLetters = arn("sqs", left(queueUrl?.split("/").at(-1), "the dead-letter queue"));
  const self = arn("lambda", `function:${functionName}`);
  const on = (resource: string, ...actions: string[]): Request[] => actions.map((action) => ({ action, resource }));
  return [
    ...on(table, "dynamodb:DeleteItem", "dynamodb:Scan", "dynamodb:DeleteTable", "dynamodb:UpdateTable"),
    ...on(arn("dynamodb", "table/another"), "dynamodb:GetItem", "dynamodb:PutItem"),
    ...on(arn("events", "event-bus/default"), "events:PutEvents"),
    ...on(arn("events", `rule/${bus}/a-rule`), "events:PutRule", "events:DeleteRule", "events:PutTargets"),
    ...on(arn("events", `event-bus/${bus}`), "events:DeleteEventBus", "events:PutPermission"),
    ...on(bucket, "s3:DeleteBucket", "s3:PutBucketPolicy"),
    ...on(`arn:${partition}:s3:::another-bucket/key`, "s3:GetObject", "s3:PutObject", "s3:DeleteObject"),
    ...on(credentials, "secretsmanager:PutSecretValue", "secretsmanager:DeleteSecret"),
    ...on(arn("secretsmanager", "secret:another-AbCdEf"), "secretsmanager:GetSecretValue"),
    ...on(deadLetters, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:PurgeQueue"),
    ...on(self, "lambda:UpdateFunctionCode", "lambda:UpdateFunctionConfiguration", "lambda:InvokeFunction"),
    ...on(role, "iam:PassRole", "iam:PutRolePolicy", "sts:AssumeRole"),
    ...on(arn("logs", "log-group:another:log-stream:x"), "logs:CreateLogGroup", "logs:PutLogEvents"),
    ...on(arn("kms", "key/00000000-0000-4000-8000-000000000000"), "kms:Decrypt"),
    ...on("*", "cloudwatch:PutMetricData", "s3:ListAllMyBuckets", "iam:ListRoles", "sqs:CreateQueue"),
  ];
}
