import * as cdk from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IConstruct } from "constructs";

/** Read from the whole library, since a version that lacks it must still load: it came after the oldest version that works. */
const validations: typeof cdk.Validations | undefined = cdk.Validations;

/** Says why one finding of cdk-nag 3 is meant so, for this construct and everything in it. An older aws-cdk-lib cannot be told. */
export function acknowledgeFinding(scope: IConstruct, finding: { id: string; reason: string }): void {
  validations?.of(scope).acknowledge(finding);
}

/** Packs of cdk-nag that know most of their rules by the same names. */
const PACKS = ["NIST.800.53.R5", "HIPAA.Security", "PCI.DSS.321"];
const ONE_KEY = "Encrypted with a key of AWS's own; with the construct's encryptionKey it is that key.";

/** Says why a finding of these packs is meant so, for this construct and what is in it alone. */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [rule, reason] of Object.entries(reasons)) {
    for (const pack of PACKS) acknowledgeFinding(scope, { id: `${pack}-${rule}`, reason });
  }
}

/** Of something that has no key of yours because none was given. */
export function acknowledgeOwnKey(scope: IConstruct, rule: string, encryptionKey: IKey | undefined): void {
  if (encryptionKey === undefined) acknowledge(scope, { [rule]: ONE_KEY });
}

export function acknowledgeInlinePolicy(role: IConstruct): void {
  acknowledge(role, {
    IAMNoInlinePolicy: "The policy is for this one role, is of no use elsewhere, and goes with it.",
  });
}
