import * as cdk from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Read from the whole library, since a version that lacks it must still load: it came after the oldest version that works. */
const validations: typeof cdk.Validations | undefined = cdk.Validations;

/** Says why one finding of cdk-nag 3 is meant so, for this construct and everything in it. An older aws-cdk-lib cannot be told. */
export function acknowledgeFinding(scope: IConstruct, finding: { id: string; reason: string }): void {
  validations?.of(scope).acknowledge(finding);
}
