import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { synthesize } from "../infra/support/synthesize.ts";

const runbook = readFileSync("docs/runbook.md", "utf8");
const operations = readFileSync("docs/operations.md", "utf8");

const HEADS = ["**What it means.**", "**Look.**", "**Mend.**"];

const template = synthesize({
  sources: [{ baseUrl: "https://surveys.example.com" }],
  webhooks: [{ name: "crm", url: "https://crm.example.com", signing: { secret: "crm/signing" } }],
});
const all = Object.values(template.findResources("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);
/** The queues of the poller and of a webhook have an alarm each, of one kind. */
const alarms = all.filter(({ AlarmDescription }) => !AlarmDescription.includes("the queue of webhook"));
type Alarm = (typeof alarms)[number];

const sectionOf = ({ AlarmDescription }: Alarm): string => AlarmDescription.split("#").at(-1);
const TIMES = ["DetectionLag", "Stalled", "DeliveryStalled"];

const WORDS: Readonly<Record<string, string>> = {
  SampleCount: "sample count",
  LessThanThreshold: "<",
  GreaterThanThreshold: ">",
  GreaterThanOrEqualToThreshold: "≥",
  breaching: "raised",
  ignore: "keeps its state",
  notBreaching: "quiet",
};
const word = (name: string): string => WORDS[name] ?? name;

/** A row of the table, as the template has the alarm. */
function rowOf(alarm: Alarm): string {
  const { Statistic, ExtendedStatistic, MetricName, ComparisonOperator, Threshold, TreatMissingData } = alarm;
  const statistic = ExtendedStatistic ?? word(Statistic ?? "").replace(/^[MS]/, (letter) => letter.toLowerCase());
  const threshold = TIMES.includes(MetricName) ? `${Threshold / 60_000} min` : `${Threshold}`;
  const periods = `${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods}, ${alarm.Period / 60} min each`;
  const metric = `${statistic} of \`${MetricName}\` ${word(ComparisonOperator)} ${threshold}`;
  return `${sectionOf(alarm)} | ${metric} | ${periods} | ${word(TreatMissingData)}`;
}

describe("the alarms in the documents", () => {
  it("are raised by what docs/operations.md says", () => {
    const [, section = ""] = operations.split("### When an alarm is raised\n");
    const rows = (section.split(/\n#+ /)[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
    const documented = rows.slice(2).map((row) => {
      const [name = "", ...rest] = row.replace(/^\| | \|$/g, "").split(" | ");
      return [name.toLowerCase().replaceAll(" ", "-"), ...rest].join(" | ");
    });
    expect(documented.toSorted()).toEqual(alarms.map(rowOf).toSorted());
  });

  it("are all in the first table of docs/runbook.md, in the words of the mail", () => {
    const [first = ""] = runbook.split("\n## Where to look");
    for (const alarm of alarms) {
      const mail = alarm.AlarmDescription.replace(/^[^:]+: /, "").replace(/\. What to do: .*$/, "");
      const row = first.split("\n").find((line) => line.includes(`(#${sectionOf(alarm)})`));
      // What stands for a name or a duration is left out there.
      const said = (row?.split(" | ")[0] ?? "").replace(/^\| /, "");
      const pattern = said.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      expect(mail).toMatch(new RegExp(`^${pattern.join(".+")}$`));
    }
  });

  it("each say what it means, where to look and what to mend, in this order", () => {
    for (const section of new Set(alarms.map(sectionOf))) {
      const [, body = ""] =
        new RegExp(`^### (${section.replaceAll("-", "[ -]")})\n([^]*?)(?=^##)`, "im").exec(runbook)?.slice(1) ?? [];
      const places = HEADS.map((head) => body.indexOf(head));
      expect(places.includes(-1), section).toBe(false);
      expect(places, section).toEqual(places.toSorted((a, b) => a - b));
    }
  });
});
