import { CfnResource, Stack, type StackProps, TagManager, Tags } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { importVpc } from "./support/existing.ts";
import { createApp, synthesize } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const sources = [{ baseUrl }];
const config = { sources: [{ baseUrl, credentialsSecret: "team/surveys" }] };

/** A poller with a key, a VPC, full monitoring, ticks within a minute, a subscriber and webhooks. */
function guarded(props: StackProps = {}): Template {
  const stack = new Stack(createApp(), "Own", props);
  const given = { encryptionKey: new Key(stack, "Key"), vpc: importVpc(stack) };
  const webhooks = [
    { name: "crm", url: "https://crm.example.com/hook", signing: { secret: "crm/signing" } },
    { name: "bi", url: "https://bi.example.com/hook", auth: { type: "basic" as const, secret: "bi" } },
  ];
  const subscribers = { accounts: ["222222222222"], organizationId: "o-a1b2c3d4e5" };
  const often = [{ baseUrl, interval: "10s" }];
  new SurveyPoller(stack, "Poller", { sources: often, webhooks, subscribers, monitoring: "full", ...given });
  return Template.fromStack(stack);
}

describe("the template changes on purpose only (npx vitest run test/infra/template.test.ts -u):", () => {
  it.each([
    ["as it is by default", () => synthesize({ sources })],
    ["with everything that can be asked for", () => guarded()],
  ])("%s", (_, make) => {
    const masked = JSON.stringify(make().toJSON(), null, 2).replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>");
    expect(masked).toMatchSnapshot();
  });
});

/** Services whose principal has the same name in every partition. */
const UNIVERSAL = /"(lambda|events|scheduler|cloudwatch|sqs|sns|delivery\.logs)\.amazonaws\.com"/g;

/** The templates of the stack, and of a poller with everything, wherever they are for. */
function templates(env: { region: string; account: string } | undefined): [string, string][] {
  const props = env === undefined ? {} : { env };
  const made = {
    "the stack": () => Template.fromStack(new SurveyPollerStack(createApp(), "Test", { config, ...props })),
    "a poller with everything": () => guarded(props),
  };
  return Object.entries(made).map(([name, make]) => [name, JSON.stringify(make().toJSON())]);
}

describe.each([
  ["us-gov-west-1", "aws-us-gov"],
  ["cn-north-1", "aws-cn"],
  ["eu-west-1", "aws"],
])("in %s", (region, partition) => {
  it.each(templates({ region, account: "111111111111" }))("%s names no other partition than its own", (_, text) => {
    const named = [...text.matchAll(/arn:(aws[a-z-]*):/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(new Set(named)).toEqual(new Set([partition]));
  });
});

describe.each([undefined, { region: "cn-north-1", account: "111111111111" }])("for %o", (env) => {
  it.each(templates(env))("%s names no host of one partition", (_, text) => {
    expect(text.replaceAll(UNIVERSAL, "")).not.toContain("amazonaws.com");
  });
});

it.each(templates(undefined))("%s for any region names no partition at all", (_, text) => {
  expect(text).not.toMatch(/arn:aws/);
});

/** The tag `survey-poller` of every resource that can have tags, by its logical name. */
function tagged(change: (poller: SurveyPoller) => void): Record<string, unknown> {
  const stack = new Stack(createApp(), "Own");
  const poller = new SurveyPoller(stack, "Surveys", { sources });
  change(poller);
  const resources: Record<
    string,
    { Properties?: { Tags?: { Key: string; Value: string }[] | Record<string, string> } }
  > = Template.fromStack(stack).toJSON().Resources;
  const taggable = poller.node.findAll().filter((one) => CfnResource.isCfnResource(one) && TagManager.isTaggable(one));
  return Object.fromEntries(
    taggable.map((one) => {
      const name: string = stack.resolve((one as CfnResource).logicalId);
      // Parameters have them by name, all others in a list.
      const tags = resources[name]?.Properties?.Tags;
      const listed = Array.isArray(tags) ? tags.find(({ Key }) => Key === "survey-poller")?.Value : undefined;
      return [name, Array.isArray(tags) ? listed : tags?.["survey-poller"]];
    }),
  );
}

describe("every resource that can have tags", () => {
  it("tells which poller it belongs to: costs and searches go by it", () => {
    const tags = tagged(() => undefined);
    expect(Object.keys(tags).length).toBeGreaterThan(8);
    for (const value of Object.values(tags)) expect(value).toBe("Own/Surveys");
  });

  it("takes another value by the usual means", () => {
    const tags = tagged((poller) => Tags.of(poller).add("survey-poller", "mine"));
    for (const value of Object.values(tags)) expect(value).toBe("mine");
  });
});
