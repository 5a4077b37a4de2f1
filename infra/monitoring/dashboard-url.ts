import { Aws, CfnCondition, Fn, Stack, Token } from "aws-cdk-lib";
import { RegionInfo } from "aws-cdk-lib/region-info";
import type { Construct } from "constructs";

/** Consoles that are somewhere else than the usual one, by partition. */
const CONSOLES: Record<string, string> = {
  "aws-cn": "console.amazonaws.cn",
  "aws-us-gov": "console.amazonaws-us-gov.com",
  "aws-eusc": "console.amazonaws-eusc.eu",
};
const USUAL = "console.aws.amazon.com";

/** Address of a dashboard in the console, also where the region is known at the deployment only. */
export function dashboardUrl(scope: Construct, name: string): string {
  const { region } = Stack.of(scope);
  return `https://${consoleOf(scope, region)}/cloudwatch/home?region=${region}#dashboards/dashboard/${name}`;
}

function consoleOf(scope: Construct, region: string): string {
  if (!Token.isUnresolved(region)) return CONSOLES[RegionInfo.get(region).partition ?? ""] ?? USUAL;
  return Object.entries(CONSOLES).reduce((otherwise, [partition, host]) => {
    const id = `Is${partition.replaceAll(/[^a-z]/g, "")}`;
    const condition = new CfnCondition(scope, id, { expression: Fn.conditionEquals(Aws.PARTITION, partition) });
    return Fn.conditionIf(condition.logicalId, host, otherwise).toString();
  }, USUAL);
}
