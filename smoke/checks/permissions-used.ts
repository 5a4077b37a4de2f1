import { DescribeLogStreamsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { outputOf, type SmokeCheck } from "../context.ts";
import { OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";
import { roleOf, statementsOf } from "./permissions.ts";

/** By which check each statement of the function's role has been used, under the permissions that AWS enforces. */
const USED_BY: Record<string, string> = {
  KeepBooks: "schedule",
  Publish: "schedule",
  ReadSecrets: "schedule",
  KeepToken: "schedule",
  WriteLogs: "schedule",
  KeepLargeAnswers: "large-to-queue",
  FindDue: "kept-records",
  TakeUpWhatWasKept: "kept-records",
  ReportFailures: "failure-destination",
};

/** Used only when something is missing: there is no way to bring that about from outside, and permissions-simulated shows it. */
const SIMULATED_ONLY = new Set(["TellMissing"]);

export const permissionsUsed: SmokeCheck = {
  name: "permissions-used",
  needs: ["enforced permissions"],
  after: ["permissions-simulated", ...new Set(Object.values(USED_BY))],
  deadline: 120_000,
  async run(context) {
    const { aws } = context;
    const statements = await statementsOf(aws.iam, await roleOf(context, outputOf(context, "pollFunction", OUTPUTS)));
    const sids = statements.map(({ Sid = "" }) => Sid);
    const unknown = sids.filter((sid) => !(sid in USED_BY) && !SIMULATED_ONLY.has(sid));
    const todo = "name the check that uses it in smoke/checks/permissions-used.ts, or take the statement away";
    mustBe(unknown.length === 0, `no check uses ${unknown}`, todo);
    const SecretId = outputOf(context, "token", OUTPUTS);
    const { SecretString } = await aws.secrets.send(new GetSecretValueCommand({ SecretId }));
    mustBe((SecretString ?? "") !== "", "the function has kept no token", "see the function's log for KeepToken");
    const logGroupName = outputOf(context, "pollLogGroup", OUTPUTS);
    const { logStreams = [] } = await aws.logs.send(new DescribeLogStreamsCommand({ logGroupName }));
    mustBe(logStreams.length > 0, "the function has written no log", "see the statement WriteLogs");
    const used = sids.filter((sid) => sid in USED_BY);
    const others = sids.filter((sid) => SIMULATED_ONLY.has(sid));
    return `used: ${used.join(", ")}; by simulation only: ${others.join(", ")}`;
  },
};
