import type { Template } from "aws-cdk-lib/assertions";

export interface Statement {
  Sid?: string;
  Effect: "Allow" | "Deny";
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

/** Statements of the policy whose logical name begins so. */
export function statementsOf(template: Template, policy: string): Statement[] {
  const found = Object.entries(template.findResources("AWS::IAM::Policy")).filter(([name]) =>
    new RegExp(`^${policy}(DefaultPolicy)?[0-9A-F]{8}$`).test(name),
  );
  if (found.length !== 1) throw new Error(`there are ${found.length} policies ${policy}`);
  return found[0]?.[1].Properties.PolicyDocument.Statement;
}

/** What a policy allows: each statement's actions and the resources they are for, by the start of their logical names. */
export function allowedBy(template: Template, policy: string) {
  return Object.fromEntries(
    statementsOf(template, policy)
      .filter(({ Effect }) => Effect === "Allow")
      .map(({ Sid, Action, Resource }) => [
        Sid ?? "",
        { actions: [Action].flat(), resources: [Resource].flat().map(readable) },
      ]),
  );
}

/** `{"Fn::GetAtt": ["PollerTable1168CB8E", "Arn"]}` as `Table`, joined ones with what follows. */
export function readable(resource: unknown): string {
  if (typeof resource === "string") return resource;
  const joined = (resource as { "Fn::Join"?: [string, unknown[]] })["Fn::Join"];
  if (joined !== undefined) return joined[1].map(readable).join("");
  const { Ref, "Fn::GetAtt": attribute } = resource as { Ref?: string; "Fn::GetAtt"?: [string, string] };
  return (Ref ?? attribute?.[0] ?? JSON.stringify(resource)).replace(/^(?:Poller)?(.*?)[0-9A-F]{8}$/, "$1");
}
