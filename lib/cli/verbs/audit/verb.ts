import { Option } from "@commander-js/extra-typings";
import { EXIT, UsageError } from "../../errors.ts";
import { onSource, type SourceWork } from "../../target/source-work.ts";
import { pagesOf, refusePaused } from "../../target/surveys.ts";
import { type Answer, surveyId, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { count, nextCommand, span, surveyName, utc } from "../../words.ts";
import { auditAgainst } from "./against.ts";
import { audited, readPasses, surveyLine } from "./passes.ts";
import { sample, takeSample } from "./sample.ts";

const HELP = `
Without --yes it says what it costs. Exit code 5 names what is unaccounted for, 3 says why the books are open.
With --against it needs no poller: the credentials are those of SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET.

Examples:
  survey-poller audit --survey 421 --stack SurveyPoller --yes
  survey-poller audit --now --data .survey-poller --yes
  survey-poller audit --sample 5% --data .survey-poller
  survey-poller audit --against ids.csv --base-url https://surveys.example.com`;

export const auditVerb: Verb = (act) =>
  targetVerb("audit", "a full read that closes the books, or a sample", HELP)
    .option("--source <name>", "the source, where there are several")
    .option("--survey <id>", "only this survey; all of the source without it", surveyId)
    .option("--now", "reads at once, whatever the background budget")
    .option("--sample <percent>", "looks up a random part of the pages in the ledger, and changes nothing")
    .addOption(
      new Option("--against <file>", "names what these response ids lack of a service, without a poller").conflicts([
        ...["stack", "source", "now", "sample", "yes"],
      ]),
    )
    .option("--base-url <url>", "the service, with --against")
    .option("--column <name>", "the column or field with the ids, with --against")
    .option("--report <file>", "writes a page of HTML to send on, with --against")
    .addOption(yesOption())
    .action((options) =>
      act(options, async (io) => {
        const { against, baseUrl, column, report } = options;
        if (against !== undefined) return auditAgainst({ ...options, against }, io);
        if ([baseUrl, column, report].some((value) => value !== undefined)) {
          const hint = "They say with which service a file of ids is compared.";
          throw new UsageError("--base-url, --column and --report go with --against", { hint });
        }
        const { now: isNow = false, yes: isDone = false } = options;
        const percent = options.sample === undefined ? undefined : percentIn(options.sample);
        if (percent !== undefined && (isNow || isDone)) {
          const hint = "A sample changes nothing and is read at once: leave --now and --yes out.";
          throw new UsageError("--sample goes with neither --now nor --yes", { hint });
        }
        return await onSource(options, io, async (of): Promise<Answer> => {
          refusePaused(of.state, of.target);
          return percent === undefined ? audit(of, { isNow, isDone }) : sample(of, percent);
        });
      }),
    );

function percentIn(text: string): number {
  const percent = Number(text.replace(/ ?%$/, ""));
  if (/^\d/.test(text) && percent > 0 && percent <= 100) return percent;
  throw new UsageError("--sample is no percentage above 0", { hint: "Give one such as 5% or 100%." });
}

/** The output of `audit --json`, beside `schemaVersion`. */
export type AuditAnswer = Awaited<ReturnType<typeof audit>>["data"];

async function audit(of: SourceWork, { isNow, isDone }: { isNow: boolean; isDone: boolean }) {
  const { target, source, surveys, io, progress } = of;
  const cost = costOf(of, isNow);
  const about = { dryRun: !isDone, source: source.name, mode: isNow ? "now" : "background", cost };
  if (!isDone) {
    const toDo = surveys.map((survey) => audited(survey));
    const which = toDo.length > 3 ? `${toDo.length} surveys` : toDo.map(surveyName).join(", ");
    const plan = isNow
      ? `Would read every page of ${which} at once, and close the books.`
      : `Would make the full read of ${which} due at once: ticks read every page, and close the books.`;
    return { data: { ...about, surveys: toDo }, text: [plan, costText(cost)], isDry: true };
  }
  io.say(costText(cost));
  const all = await readPasses(of, isNow);
  for (const { unaccounted, surveyId: id } of all) {
    if (unaccounted === null) continue;
    // Which ones they are, as far as all pages can tell now.
    const looked = await takeSample({ ...of, surveys: surveys.filter((survey) => survey.surveyId === id) }, 100);
    unaccounted.ids = looked.surveys[0]?.missing ?? [];
  }
  progress.end();
  const open = all.filter(({ outcome }) => outcome === "open");
  if (open.length > 0) {
    const isPaused = open.some(({ why }) => why === "the source is paused");
    const resume = nextCommand("resume", { source: source.name, ...target });
    const tick = `the next tick, which comes within ${span(source.interval)}`;
    io.say(`Try again after ${isPaused ? resume : tick}.`);
  }
  const isShort = all.some(({ outcome }) => outcome === "unaccounted");
  const exit = isShort ? EXIT.unaccounted : open.length > 0 ? EXIT.notNow : EXIT.done;
  return { data: { ...about, surveys: all }, text: all.map(surveyLine), exit };
}

/** Each page is read again, and the end of the list is looked at from both sides. */
const READS = 2;
const AT_THE_END = 4;

function costOf({ source, state: { account }, surveys, io }: SourceWork, isNow: boolean) {
  const known = surveys.map(pagesOf);
  const pages = known.reduce((sum, one) => sum + one.pages, 0);
  const requests = READS * pages + AT_THE_END * surveys.length;
  const { requestsPerSecond: learned } = (account.learned ?? {}) as { requestsPerSecond?: number };
  const rate = Math.min(learned ?? Number.POSITIVE_INFINITY, source.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY);
  // Full reads have half of the budget; ticks may follow at once where a run is driven by hand.
  const ticks = Math.ceil(requests / Math.max(1, source.backgroundRequests / 2));
  return {
    pages,
    // A list that was never read to its end may have more.
    isExact: known.every(({ isExact }) => isExact),
    requests,
    // At the rate that was learned; null where nothing was ever refused.
    seconds: rate === Number.POSITIVE_INFINITY ? null : Math.ceil(requests / rate),
    // When it is done within the background budget, at the latest (epoch milliseconds).
    by: isNow ? null : io.now() + ticks * source.interval,
  };
}

/** "It reads 12 pages, about 28 requests; …" */
function costText({ pages, isExact, requests, seconds, by }: ReturnType<typeof costOf>): string {
  const rate = seconds === null ? "" : ` At the rate that was learned they take ${span(seconds * 1_000)}.`;
  const end = by === null ? "" : ` Within the background budget it is done by ${utc(by)}.`;
  return `It reads ${isExact ? "" : "at least "}${count(pages, "page")}, about ${count(requests, "request")}.${rate}${end}`;
}
