import { bareEntry } from "../../../lib/operator/forgotten.ts";
import { recordsOfNobody } from "../../../lib/state/ledger.ts";
import { responseId, surveyId } from "../../arguments.ts";
import { CommandError, notNow } from "../../errors.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { type FoundResponse, findResponse } from "../../target/find-response.ts";
import { openTarget } from "../../target/open-target.ts";
import { tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import { DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import type { ForgetAnswer } from "./answer.ts";
import { elsewhere } from "./elsewhere.ts";
import { type Held, heldOf, isNothing, partsOf, readAgain } from "./held.ts";
import { forgetText } from "./text.ts";

const NOTHING: Held = { entry: [], mark: [], objects: [] };

export const forgetVerb: Verb = (act) =>
  targetVerb("forget", "forgets everything that is held of one response, and says what cannot be purged")
    .argument("<response>", "a responseId, or the id of a record that quarantine list shows", responseId)
    .option("--survey <id>", "its survey, where several have such a response", surveyId)
    .option("--source <name>", "its source")
    .addOption(yesOption())
    .addHelpText("after", "\nA bare entry stays, so that it never goes out again. No event tells of it.")
    .addHelpText("after", examples("forget 45858 --stack SurveyPoller", "forget 45858 --survey 101 --yes --json"))
    .action((id, options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const isDone = options.yes === true;
        // Of a survey that is named also one that was never met is forgotten: it will not go out.
        const isNamed = options.survey !== undefined && typeof id === "number";
        const found = await findResponse(target, id, options, (mark) => isNamed || partsOf(mark, id).length > 0);
        const isNew = found !== undefined && found.entry === undefined && isNamed;
        const held = found === undefined ? NOTHING : await heldOf(target, found);
        const left =
          found === undefined || !isDone || (isNothing(held) && !isNew) ? found : await forget(target, found);
        const entry = left?.entry ?? (isNew ? ({ id, state: "before-floor" } as const) : undefined);
        const facts = {
          isStack: target.stack !== undefined,
          // What has an event id went out. Of any other one nobody knows whether the bus took it before its entry could be written.
          hadEvent: found?.entry?.eventId !== undefined,
          now: io.now(),
        };
        const answer: ForgetAnswer = {
          dryRun: !isDone,
          id,
          source: found?.source ?? null,
          surveyId: found?.surveyId ?? null,
          name: found?.name ?? null,
          state: found?.entry?.state ?? null,
          held,
          stays: entry === undefined ? null : { ...bareEntry(entry) },
          records: found === undefined ? 0 : await countRecords(target, found),
          elsewhere: elsewhere(await target.config(), facts),
        };
        if (!isDone && (!isNothing(held) || isNew)) io.say(DRY_RUN);
        return { data: answer, text: forgetText(answer) };
      }),
    );

/** Forgets, and looks once more whether nothing is left. */
async function forget(target: Target, found: FoundResponse): Promise<FoundResponse> {
  const { source, surveyId: survey, id } = found;
  const done = await target.operate(source, "forget", { surveyId: survey, response: id });
  if (done.outcome === "busy") {
    throw notNow("SURVEY_BUSY", `survey ${survey} is being polled just now, and nothing was forgotten`, {
      hint: "Try again in a minute; a catch-up may take longer.",
      next: `survey-poller forget ${id} --survey ${survey} --source ${source} --yes ${target.flags}`,
    });
  }
  const left = await readAgain(target, found);
  const { mark, ...still } = await heldOf(target, left);
  const unforgotten = [...still.entry, ...still.objects, ...mark];
  if (unforgotten.length === 0) return left;
  throw new CommandError("NOT_FORGOTTEN", `something is still held of response ${id}: ${unforgotten.join(", ")}`, {
    hint: "Run it again: it goes on with what is left.",
    next: `survey-poller forget ${id} --survey ${survey} --source ${source} --yes ${target.flags}`,
  });
}

function countRecords(target: Target, { source, surveyId: survey, id }: FoundResponse): Promise<number> {
  if (typeof id !== "number") return Promise.resolve(0);
  return askingAws("the table could not be read", () => recordsOfNobody(tableOf(target), source, survey));
}
