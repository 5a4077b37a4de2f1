import { isDeepStrictEqual } from "node:util";
import {
  DescribeCodeBindingCommand,
  DescribeSchemaCommand,
  GetCodeBindingSourceCommand,
  PutCodeBindingCommand,
} from "@aws-sdk/client-schemas";
import { DETAIL_TYPE, responseCompletedEnvelopeSchema } from "../../lib/events/index.ts";
import { unlessMissing } from "../aws/clients.ts";
import type { SmokeCheck } from "../context.ts";
import { NAMES } from "../names.ts";
import { mustBe } from "../run/check.ts";

/** A zip archive begins so. */
const ZIP = "PK";

/** The contract is in the registry, and EventBridge makes TypeScript of it. */
export const schema: SmokeCheck = {
  name: "schema",
  needs: ["schema registry"],
  after: ["poller"],
  deadline: 600_000,
  async run({ aws: { schemas } }, { until }) {
    const which = { RegistryName: NAMES.bus, SchemaName: `${NAMES.eventSource}@${DETAIL_TYPE}` };
    const { Content = "{}", Type } = await schemas.send(new DescribeSchemaCommand(which));
    const wanted = JSON.parse(JSON.stringify(responseCompletedEnvelopeSchema(NAMES.eventSource))) as unknown;
    const isSame = isDeepStrictEqual(JSON.parse(Content), wanted);
    mustBe(isSame, `schema ${which.SchemaName} is another one than the contract`, "deploy again, from this checkout");
    const binding = { ...which, Language: "TypeScript3" };
    const known = await unlessMissing(schemas.send(new DescribeCodeBindingCommand(binding)));
    if (known === undefined) await schemas.send(new PutCodeBindingCommand(binding));
    await until("code that EventBridge makes of the schema", async () => {
      const { Status } = await schemas.send(new DescribeCodeBindingCommand(binding));
      mustBe(
        Status !== "CREATE_FAILED",
        "EventBridge cannot make code of the schema",
        "look for what it does not know in it",
      );
      return Status === "CREATE_COMPLETE" ? true : undefined;
    });
    const { Body } = await schemas.send(new GetCodeBindingSourceCommand(binding));
    const zip = Buffer.from(Body ?? []);
    mustBe(zip.subarray(0, 2).toString("latin1") === ZIP, "what EventBridge gives is no zip archive", "run it again");
    return `${Type} is the contract, its TypeScript bindings have ${zip.length} bytes`;
  },
};
