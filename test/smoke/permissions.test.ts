import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { expect, it } from "vitest";
import { permissionsSimulated } from "../../smoke/checks/permissions.ts";
import type { SmokeContext } from "../../smoke/context.ts";
import { OUTPUTS } from "../../smoke/names.ts";

const ALLOWED = { Effect: "Allow", Action: "dynamodb:Query", Resource: "arn:aws:dynamodb:r:1:table/books" };
const JOIN = { Effect: "Allow", Action: "ec2:CreateNetworkInterface", Resource: "*" };
const LEAVE = { ...JOIN, Effect: "Deny", Condition: { Null: { "lambda:SourceFunctionArn": "false" } } };

/** A policy that the stack has made beside the role. */
const OVERFLOW = "arn:aws:iam::111122223333:policy/Surveys-Overflow";

const documentOf = (Statement: object[]): string => encodeURIComponent(JSON.stringify({ Statement }));

interface Asked {
  constructor: { name: string };
  input: { ActionNames?: string[]; ContextEntries?: { ContextKeyName: string }[]; FunctionName?: string };
}

/** An account whose stack has these outputs, and a role with these statements, to which policies may be attached. */
function accountOf(
  outputs: Record<string, string>,
  Statement: object[],
  { asked = [], attached = [] }: { asked?: Asked["input"][]; attached?: string[] } = {},
): SmokeContext {
  const answers: Record<string, (input: Asked["input"]) => object> = {
    DescribeStacksCommand: () => ({
      Stacks: [
        {
          StackId: "arn:aws:cloudformation:eu-west-1:111122223333:stack/Surveys/1",
          Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
        },
      ],
    }),
    ListStackResourcesCommand: () => ({
      StackResourceSummaries: [{ ResourceType: "AWS::IAM::ManagedPolicy", PhysicalResourceId: OVERFLOW }],
    }),
    GetFunctionConfigurationCommand: () => ({ Role: "arn:aws:iam::111122223333:role/poll" }),
    ListAttachedRolePoliciesCommand: () => ({ AttachedPolicies: attached.map((PolicyArn) => ({ PolicyArn })) }),
    GetPolicyCommand: () => ({ Policy: { DefaultVersionId: "v2" } }),
    GetPolicyVersionCommand: () => ({ PolicyVersion: { Document: documentOf([JOIN]) } }),
    ListRolePoliciesCommand: () => ({ PolicyNames: ["own"] }),
    GetRolePolicyCommand: () => ({ PolicyDocument: documentOf(Statement) }),
    SimulatePrincipalPolicyCommand: ({ ActionNames = [], ContextEntries = [] }) => {
      const inVpc = ContextEntries.some(({ ContextKeyName }) => ContextKeyName === "lambda:SourceFunctionArn");
      return {
        EvaluationResults: ActionNames.map((EvalActionName) => ({
          EvalActionName,
          EvalDecision:
            [ALLOWED, JOIN].some(({ Action }) => Action === EvalActionName) && !inVpc ? "allowed" : "implicitDeny",
        })),
      };
    },
  };
  const send = async (command: Asked): Promise<object> => {
    asked.push(command.input);
    return answers[command.constructor.name]?.(command.input) ?? {};
  };
  // The paginator of the SDK asks a client of its own class.
  const cloudFormation = Object.assign(Object.create(CloudFormationClient.prototype), { send });
  return {
    aws: { cloudFormation, iam: { send }, lambda: { send } },
    options: { stack: "Surveys" },
    outputs: new Map([[OUTPUTS.pollFunction, "smoke-poll"]]),
    userStack: { outputs },
  } as unknown as SmokeContext;
}

const running = {} as Parameters<typeof permissionsSimulated.run>[1];
const NAMED = {
  PollFunctionName: "poll",
  TableName: "books",
  ClaimCheckBucketName: "answers",
  BusArn: "arn:aws:events:eu-west-1:111122223333:event-bus/surveys",
  CredentialsSecretName: "Surveys/main/credentials",
  DeadLetterQueueUrl: "https://sqs.eu-west-1.amazonaws.com/111122223333/dead",
};

it("finds the function in an app of somebody's own, where the construct's id stands before each output", async () => {
  const prefixed = Object.fromEntries(Object.entries(NAMED).map(([name, value]) => [`Surveys${name}`, value]));
  const asked: Asked["input"][] = [];
  await permissionsSimulated.run(accountOf(prefixed, [{ ...ALLOWED, Resource: "arn:aws:x" }], { asked }), running);
  expect(asked.flatMap(({ FunctionName }) => FunctionName ?? [])).toEqual(["poll", "smoke-poll"]);
});

it("does not take what a statement denies for something that the role must be allowed", async () => {
  const shown = await permissionsSimulated.run(accountOf(NAMED, [ALLOWED, JOIN, LEAVE]), running);
  expect(shown).toContain("Surveys: 2 statements with 2 actions are allowed");
});

it("reads what found no room in the role's own policy, and takes no policy that the stack has not made", async () => {
  const shown = await permissionsSimulated.run(accountOf(NAMED, [ALLOWED], { attached: [OVERFLOW] }), running);
  expect(shown).toContain("Surveys: 2 statements with 2 actions are allowed");
  const widened = accountOf(NAMED, [ALLOWED], { attached: ["arn:aws:iam::aws:policy/AdministratorAccess"] });
  await expect(permissionsSimulated.run(widened, running)).rejects.toThrow("AdministratorAccess");
});
