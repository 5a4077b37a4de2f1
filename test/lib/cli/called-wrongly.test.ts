import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kinds } from "../../../lib/cli/verbs/trigger.ts";
import { temporaryFolder } from "../../support/command.ts";
import { survey } from "./support/command.ts";

const EVENTS = "listen --forward-to";
const FILTER = "tail --filter";

it.each([
  ["", "a verb is missing"],
  ["status --client-secret=hunter2", "unknown option '--client-secret'"],
  ["statsu", "did you mean status?"],
  ["status --stack hunter2", "Set AWS_REGION to the region of the stack."],
  ["status hunter2", "too many arguments"],
  ["status --stack a --data hunter2", "cannot be used with"],
  ["audit --sample 0%", "--sample is no percentage above 0"],
  ["audit --sample 101", "--sample is no percentage above 0"],
  ["audit --sample 5% --now", "--sample goes with neither"],
  ["audit --survey hunter2", "option '--survey <id>' has a value that cannot be used: it must be a survey id"],
  ["backfill --survey 7 --from 2026-01-01", "it is not said what is to be backfilled"],
  ["backfill --survey 7 --from soon --to 2026-01-31", "--from is no date"],
  ["backfill --survey 7 --from 2026-02-30 --to 2026-03-31", "--from is no date"],
  ["backfill --survey 7 --from 2026-02-01 --to 2026-01-31", "--from is after --to"],
  ["backfill --survey 7 --stop --from 2026-01-01 --to 2026-01-31", "it is not said what is to be backfilled"],
  ["console --data /nowhere --port 70000", "it must be a port"],
  ["credentials --data /nowhere renew --base-url http://127.0.0.1:1", "renew takes neither"],
  ["credentials --client-secret hunter2", "unknown option '--client-secret'"],
  ["credentials hunter2", "an argument has a value that cannot be used: Allowed choices are renew."],
  ["credentials --secret a --stack b", "cannot be used with"],
  ["credentials --base-url http://surveys.example", "--base-url must begin with https"],
  ["doctor --base-url https://surveys.example.com", "there are no credentials for the service"],
  ["doctor --base-url ftp://surveys.example.com", "--base-url must begin with https://"],
  ["doctor --base-url https://surveys.example.com --data here", "cannot be used with"],
  ["explain", "it is not said which response is meant"],
  ["explain 5 --crk hunter2", "both an id and --crk are given"],
  ["explain hunter2", "the response is not an id"],
  ["explain 5 --survey hunter2", "--survey"],
  ["forget hunter2", "an argument has a value that cannot be used: it must be a responseId"],
  ["forget x'hunter2\nhunter2", "an argument has a value that cannot be used: it must be a responseId"],
  ["hunter2", "there is no such verb"],
  ["quarantine hunter2", "there is no such verb"],
  ["status --client=a\nhunter2", "unknown option '--client'"],
  ["forget", "it is not said whose data is meant"],
  ["forget 5 --crk x", "it is not said whose data is meant"],
  ["forget --crk x --referrer y", "cannot be used with"],
  [`${EVENTS} ftp://localhost/hunter2`, "not an http:// or https:// address"],
  [`${EVENTS} hunter2`, "not an http:// or https:// address"],
  [`${EVENTS} https://example.com/hunter2`, "not an address of this machine"],
  [`${EVENTS} http://127.0.0.1.example.com/hunter2`, "not an address of this machine"],
  [`${EVENTS} http://user:hunter2@localhost/`, "has credentials in it"],
  [`${EVENTS} http://[::1]:1/ --secret whsec_hunter2`, "takes no secret"],
  [`${EVENTS} http://127.8.9.1:1/ --secret hunter2`, "neither an environment variable nor a file"],
  ["init", "--base-url is missing"],
  ["init --base-url ftp://surveys.example.com", "--base-url must begin with https://"],
  ["init --base-url https://a.example --start-from soon", "--start-from must be"],
  ["init --base-url https://a.example --interval 90s", "--interval "],
  ["init --base-url https://a.example --surveys 7,hunter2", "--surveys "],
  ["init --base-url https://a.example --time-zone hunter2", "--time-zone must be an IANA time zone"],
  ["init --base-url https://a.example", "there are no credentials for the service"],
  ["init --base-url https://a.example --stack a.b", "--stack is not the name of a stack"],
  ["listen", "required option '--forward-to <url>' not specified"],
  ["pause --for soon", "--for is no duration"],
  ["quarantine redrive", "no survey is named"],
  ["quarantine redrive --all --survey 7", "--survey and --all exclude each other"],
  ["quarantine redrive --survey x", "it must be a survey id"],
  ["quarantine show x", "it must be a responseId"],
  ["resend", "Give event ids, or --from"],
  ["resend --to 2026-11-21", "or --from"],
  ["resend 45942 --from 2026-11-21", "both event ids and a time are given"],
  ["resend hunter2", "an id is not that of an event"],
  ["resend 45942", "an id is not that of an event"],
  ["resend --from 2026-11-21 --to 2026-11-20", "--from is after --to"],
  ["resend --from hunter2", "--from is no point in time"],
  ["verify", "Give one of --ids FILE, --dynamodb TABLE and --s3 PREFIX."],
  ["verify --ids - --s3 s3://a", "more than one list"],
  ["verify --s3 hunter2", "Give it as --s3 s3://BUCKET/PREFIX."],
  ["verify --ids - --yes", "--yes belongs to --resend"],
  ["verify --ids - --as-of hunter2", "--as-of is no point in time"],
  [`${FILTER} {"detail":{"data":{"survyId":["hunter2"]}}}`, 'survyId unknown field, did you mean "surveyId"?'],
  [`${FILTER} {"detail":{"data":{"surveyId":["hunter2"]}}}`, "detail.data.surveyId[0] can never match"],
  [`${FILTER} {"detail":{"data":{"surveyId":[]}}}`, "no event pattern that EventBridge takes"],
  [`${FILTER} {"detail":{"data":{"lastEventId":[""]}},"detail-type":["books.closed"]}`, "data.lastEventId unknown"],
  [`${FILTER} hunter2=2`, "--filter is no JSON object"],
  [`${FILTER} {"data":{"surveyId":[1]}}`, "data is none of its fields"],
  [`${FILTER} {"detail-type":["hunter2"]}`, "detail-type must be a list of types"],
  [`${FILTER} {}`, "names no field"],
  ["trigger", `the kind of event is missing. Kinds: ${kinds[0]} (`],
  ["trigger hunter2", "there is no such kind of event"],
])("%j: exit code 2, before anything is opened, and no value is repeated", async (line, said) => {
  const ran = await survey(line.split(" ").filter(Boolean));
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(said);
  expect(ran.stderr).not.toContain("hunter2");
  expect((await survey([...line.split(" ").filter(Boolean), "--json"])).stdout).not.toContain("hunter2");
});

it("a signing secret that is too short is refused, from a file as well", async () => {
  const file = join(temporaryFolder(), "secret");
  writeFileSync(file, "whsec_aHVudGVyMg==\n");
  const ran = await survey([...EVENTS.split(" "), "http://localhost:1/", "--secret", file]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("holds no signing secret");
});

it("without a kind, or with none that there is, the kinds are named", async () => {
  const { stderr } = await survey(["trigger", "hunter2"]);
  for (const kind of kinds) expect(stderr).toContain(kind);
});
