import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { App } from "aws-cdk-lib";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { DetractorsToCrm } from "../../examples/detractors-to-crm/stack.ts";
import { type CrmName, templates } from "../../examples/detractors-to-crm/templates.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { startCrm, type TestCrm } from "./support/crm.ts";
import { type Contents, completed, golden, updated } from "./support/events.ts";

// Nobody waits here: where the date is faked it goes on by as much.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (wait: number) => {
    if (vi.isFakeTimers()) vi.setSystemTime(Date.now() + wait);
    await new Promise(setImmediate);
  },
}));

let aws: ExampleAws;
let crm: TestCrm;
let handler: typeof import("../../examples/detractors-to-crm/handler.ts").handler;
let secret: unknown;

beforeAll(async () => {
  aws = await startExampleAws();
  crm = await startCrm();
  await aws.table("customers", "key");
  Object.assign(process.env, aws.env, { TABLE: "customers" });
  vi.spyOn(SecretsManagerClient.prototype, "send").mockImplementation((async (command: GetSecretValueCommand) => {
    expect(command).toBeInstanceOf(GetSecretValueCommand);
    return { SecretString: typeof secret === "string" ? secret : JSON.stringify(secret) };
  }) as never);
});

/** A new deployment: the handler knows no secret, and the table is empty. */
beforeEach(async () => {
  crm.clear();
  crm.requests();
  secret = crm.secret;
  await aws.clear("customers", "key");
  Object.assign(process.env, { CRM: "hubspot", WITH_COMMENT: "true", REFERRER_IS_CUSTOMER: "false" });
  vi.resetModules();
  ({ handler } = await import("../../examples/detractors-to-crm/handler.ts"));
});

afterAll(async () => {
  await crm.close();
  await aws.close();
});

const NPS = { score: 2, class: "detractor" };
const HAPPY = { score: 9, class: "promoter" };

interface Customer {
  crk?: string | null;
  nps?: object | null;
  completed?: string;
}

/** The event with another customer, score or date. */
function of<T extends Contents>(event: T, { crk = "customer-1", nps = NPS, completed: local }: Customer = {}): T {
  const { response, summary } = event.detail.data;
  Object.assign(response, { crk });
  Object.assign(summary, { nps });
  if (local !== undefined) Object.assign(response.completed, { local });
  return event;
}

const subjects = () => Object.fromEntries([...crm.tickets].map(([key, { subject }]) => [key, subject]));
const only = () => {
  expect([...crm.tickets.keys()]).toEqual(["customer-1"]);
  return crm.tickets.get("customer-1");
};

describe.each(Object.keys(templates) as CrmName[])("in %s a detractor", (name) => {
  beforeEach(() => {
    process.env.CRM = name;
  });

  it("has one ticket by its key, and a repeat changes nothing", async () => {
    const event = of(completed(103, 1, undefined, "comment"));

    await handler(event);
    await handler({ ...event, id: "another delivery" });

    const { comment, question } = event.detail.data.answers.find((answer) => answer.comment !== "") ?? {};
    expect(only()).toEqual({
      subject: "After a visit: 2 of 10 by customer-1",
      text: expect.stringContaining(`\n${question?.text}\n${comment}`),
      priority: "high",
      status: "open",
      writes: 1,
    });
    expect(only()?.text).toMatch(/^Customer: customer-1\nSurvey 103, response 1, completed 2026-03-10 /);
    expect(crm.requests()).toBe(1);
  });

  it("has an edit in the same ticket, once", async () => {
    await handler(of(completed(103, 1)));
    const edit = of(updated(103, 1), { nps: HAPPY });
    await handler(edit);
    await handler(edit);
    expect(only()).toMatchObject({ subject: "After a visit: 9 of 10 by customer-1", priority: "low", writes: 2 });
  });

  it("has one ticket, where the table was not written after the CRM had taken it", async () => {
    const event = of(completed(103, 1));
    await handler(event);
    await aws.clear("customers", "key");
    await handler(event);
    expect(crm.requests()).toBe(2);
    expect(only()?.subject).toBe("After a visit: 2 of 10 by customer-1");
  });

  it("who comes back has the same ticket, open again", async () => {
    await handler(of(completed(103, 1)));
    crm.put("customer-1", "solved");
    await handler(of(completed(103, 2)));
    expect(only()).toMatchObject({ text: expect.stringContaining("response 2,"), status: "open", writes: 2 });
  });
});

it.each(["salesforce", "zendesk"])("in %s an edit opens no ticket that is solved", async (name) => {
  process.env.CRM = name;
  await handler(of(completed(103, 1)));
  crm.put("customer-1", "solved");
  await handler(of(updated(103, 1)));
  expect(only()).toMatchObject({ status: "solved", writes: 2 });
});

it.each(["closed", "deleted"] as const)(
  "a ticket that is %s for good has another in its place, once",
  async (status) => {
    process.env.CRM = "zendesk";
    const { giveBack, take } = await import("../../examples/detractors-to-crm/customers.ts");
    await handler(of(completed(103, 1)));
    crm.put("customer-1", status);
    await handler(of(updated(103, 1), { nps: HAPPY }));
    expect(crm.tickets.get("customer-1")).toMatchObject({ priority: "high", writes: 1 });
    const before = await take("customer-1");
    await giveBack(before);

    await handler(of(completed(103, 2)));
    // The table was not written after the CRM had taken it.
    await giveBack(before);
    await handler(of(completed(103, 2)));
    expect(crm.tickets.get("customer-1 again")).toMatchObject({ status: "open", writes: 1 });

    await handler(of(updated(103, 2), { nps: HAPPY }));
    expect(crm.tickets.get("customer-1 again")).toMatchObject({ priority: "low", writes: 2 });
    expect(crm.tickets.size).toBe(2);
  },
);

it("of two revisions the later one stands, in whatever order they come", async () => {
  await handler(of(updated(103, 1), { nps: { score: 4, class: "detractor" } }));
  await handler(of(completed(103, 1)));
  expect(only()).toMatchObject({ subject: "After a visit: 4 of 10 by customer-1", writes: 1 });
});

it("events of one customer at the same moment wait for each other", async () => {
  const responses = [1, 2, 3, 4, 5, 6];
  await Promise.all(
    responses.map((response) => handler(of(completed(103, response), { completed: `2026-03-1${response} 09:00:00` }))),
  );
  expect(only()?.text).toContain("response 6,");
});

it("a customer whose event was cut off is free again once that cannot be at work any more", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { take } = await import("../../examples/detractors-to-crm/customers.ts");
  await take("customer-1");
  await expect(handler(of(completed(103, 1)))).rejects.toThrow("Other events");
  vi.setSystemTime(Date.now() + 15_000);
  await handler(of(completed(103, 1))).finally(() => vi.useRealTimers());
  expect(only()).toMatchObject({ writes: 1 });
});

it("a response that an edit has made a promoter before its first event came has no ticket", async () => {
  await handler(of(updated(103, 1), { nps: HAPPY }));
  await handler(of(completed(103, 1)));
  expect(crm.tickets.size).toBe(0);
});

it("a response that an edit has made a detractor has a ticket", async () => {
  await handler(of(updated(103, 1)));
  expect(only()).toMatchObject({ priority: "high" });
});

it("the ticket of a customer shows the newest response, and no edit of another one that is no detractor's", async () => {
  await handler(of(completed(103, 2), { completed: "2026-03-12 09:00:00" }));
  await handler(of(completed(104, 1), { nps: { score: 0, class: "detractor" }, completed: "2026-03-11 09:00:00" }));
  await handler(of(updated(105, 1), { nps: HAPPY, completed: "2026-03-13 09:00:00" }));
  expect(only()).toMatchObject({ subject: "After a visit: 2 of 10 by customer-1", writes: 1 });

  await handler(of(completed(103, 3), { nps: { score: 6, class: "detractor" }, completed: "2026-03-14 09:00:00" }));
  expect(only()).toMatchObject({ subject: "After a visit: 6 of 10 by customer-1", writes: 2 });
});

it("the key is crk, else the response itself, and the referrer where the stack asks for that", async () => {
  await handler(of(completed(103, 5), { crk: null }));
  process.env.REFERRER_IS_CUSTOMER = "true";
  const bare = of(completed(103, 8), { crk: null });
  const fromPage = of(completed(103, 9), { crk: "" });
  Object.assign(fromPage.detail.data.metadata ?? {}, { referrer: "https://shop.example/thanks" });
  Object.assign(bare.detail.data, { metadata: null });
  await handler(of(completed(103, 6), { crk: "name@example.com" }));
  await handler(of(completed(103, 7), { crk: null }));
  await handler(bare);
  await handler(fromPage);
  expect(subjects()).toEqual({
    "main 103 5": "After a visit: 2 of 10",
    "name@example.com": "After a visit: 2 of 10 by name@example.com",
    "order-20417": "After a visit: 2 of 10 by order-20417",
    "main 103 8": "After a visit: 2 of 10",
    "main 103 9": "After a visit: 2 of 10",
  });
});

it("a test event never touches the ticket of a customer", async () => {
  await handler(of(completed(103, 1)));
  const test = of(completed(103, 1));
  Object.assign(test.detail.meta, { test: true });
  await handler(test);
  expect(subjects()).toEqual({
    "customer-1": "After a visit: 2 of 10 by customer-1",
    "[test] customer-1": "[test] After a visit: 2 of 10 by customer-1",
  });
});

it("comments go nowhere where the stack does not ask for them", async () => {
  process.env.WITH_COMMENT = "false";
  const event = of(golden("comment"));
  await handler(event);
  for (const { comment } of event.detail.data.answers) if (comment !== "") expect(only()?.text).not.toContain(comment);
});

it("a long comment is cut, with no half of a character", async () => {
  const event = of(golden("comment"));
  const [answer] = event.detail.data.answers;
  Object.assign(event.detail.data, { answers: [{ ...answer, question: null, comment: "👍".repeat(2_000) }] });
  await handler(event);
  expect(only()?.text).toHaveLength(2_001);
  expect(only()?.text.isWellFormed()).toBe(true);
});

it.each([503, 207, 401])(
  "what the CRM answers with %i is an error, and the next attempt makes the ticket",
  async (status) => {
    crm.refuse(status);
    await expect(handler(of(completed(103, 1)))).rejects.toThrow(`The CRM answered ${status}.`);
    await handler(of(completed(103, 1)));
    expect(only()).toMatchObject({ writes: 1 });
  },
);

it("a connected app gets a token of its own, and a wrong one is told without its secret", async () => {
  process.env.CRM = "salesforce";
  secret = { url: crm.url, clientId: "app", clientSecret: "wrong" };
  await expect(handler(of(completed(103, 1)))).rejects.toThrow(/^The CRM gave no token: 401\. Check the connected app/);
  secret = { url: crm.url, clientId: "app", clientSecret: "hush" };
  await handler(of(completed(103, 1)));
  only();
});

it.each(["", "Bearer hush", '{"authorization":"Bearer hush"}'])(
  "the secret %j is refused without repeating it",
  async (text) => {
    secret = text;
    await expect(handler(of(completed(103, 1)))).rejects.toThrow(
      new Error('The secret is no JSON with a "url". The README shows it.'),
    );
  },
);

it("a stack for a CRM without a template is refused with those that there are", () => {
  expect(() => new DetractorsToCrm(new App(), "Test", { crm: "sugar" as CrmName })).toThrow(
    "Take hubspot, salesforce, zendesk.",
  );
});
