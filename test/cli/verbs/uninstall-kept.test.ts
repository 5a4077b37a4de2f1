import { describe, expect, it } from "vitest";
import { findArchives, findBuckets } from "../../../cli/verbs/uninstall/kept.ts";
import type { Services } from "../../../cli/verbs/uninstall/services.ts";

interface Asked {
  constructor: { name: string };
  input: Record<string, unknown>;
}

describe("archives of a stack that is gone", () => {
  const bus = { name: "surveys", arn: "arn:aws:events:eu-west-1:111122223333:event-bus/surveys" };

  /** Those that count as the poller's own, of archives by name, each of that bus or of another. */
  async function ownOf(stack: string, archives: Record<string, "this bus" | "another bus">): Promise<string[]> {
    const Archives = Object.entries(archives).map(([ArchiveName, of]) => ({
      ArchiveName,
      EventSourceArn: of === "this bus" ? bus.arn : `${bus.arn}-2`,
    }));
    const services = { events: { send: async () => ({ Archives }) } } as unknown as Services;
    const found = await findArchives(services, stack, { buses: [bus], known: [] });
    return found.filter(({ isOwn }) => isOwn).map(({ name }) => name);
  }

  it("are known by the stack's name", async () => {
    const archives = {
      "Eu-PollerArchive0420B1F7-abc": "another bus",
      "Us-PollerArchive0420B1F7-abc": "this bus",
    } as const;
    expect(await ownOf("Eu", archives)).toEqual(["Eu-PollerArchive0420B1F7-abc"]);
  });

  it("are known by what CloudFormation leaves of a long name, on the stack's bus alone", async () => {
    const mine = "SurveyPoller-prod-PollerArchive0420-abc";
    const theirs = "SurveyPoller-prod-PollerArchive0420-xyz";
    for (const stack of ["SurveyPoller-production", "SurveyPoller-prod"]) {
      expect(await ownOf(stack, { [mine]: "this bus", [theirs]: "another bus" })).toEqual([mine]);
    }
  });
});

describe("buckets", () => {
  it("are looked for in the region of the stack alone: others answer with a redirection, or are of a stack of the same name", async () => {
    const regions: Record<string, string> = {
      "surveypoller-pollerclaimcheck336f7720-there": "eu-west-1",
      "surveypoller-pollerclaimcheck336f7720-here": "us-east-1",
    };
    const answers: Record<string, (input: Record<string, unknown>) => object> = {
      // A page has one bucket.
      ListBucketsCommand: ({ BucketRegion, ContinuationToken }) => {
        const names = Object.keys(regions).filter((name) =>
          [undefined, regions[name]].includes(BucketRegion as string),
        );
        const index = Number(ContinuationToken ?? 0);
        const next = index + 1 < names.length ? { ContinuationToken: String(index + 1) } : {};
        return { Buckets: names.slice(index, index + 1).map((Name) => ({ Name })), ...next };
      },
      GetBucketTaggingCommand: ({ Bucket }) => {
        if (regions[Bucket as string] !== "us-east-1")
          throw Object.assign(new Error("another endpoint"), { name: "PermanentRedirect" });
        return { TagSet: [{ Key: "survey-poller", Value: "SurveyPoller/Poller" }] };
      },
      ListObjectsV2Command: () => ({ Contents: [] }),
    };
    const send = async (command: Asked): Promise<object> => answers[command.constructor.name]?.(command.input) ?? {};
    const buckets = { config: { region: async () => "us-east-1" }, send };
    const found = await findBuckets({ buckets } as unknown as Services, "SurveyPoller", []);
    expect(found).toEqual([{ name: "surveypoller-pollerclaimcheck336f7720-here", holds: "0 objects" }]);
  });
});
