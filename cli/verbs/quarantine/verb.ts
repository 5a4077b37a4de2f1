import { Command } from "@commander-js/extra-typings";
import { examples, type Verb } from "../../verb.ts";
import { listVerb } from "./list.ts";
import { redriveVerb } from "./redrive.ts";
import { showVerb } from "./show.ts";

const SUMMARY = "responses that were set aside: quarantined, or refused by the bus";

export const quarantineVerb: Verb = (act) =>
  new Command("quarantine")
    .summary(SUMMARY)
    .description(SUMMARY)
    .addCommand(listVerb(act))
    .addCommand(showVerb(act))
    .addCommand(redriveVerb(act))
    .addHelpText("after", examples("quarantine list --stack SurveyPoller", "quarantine redrive --all --yes"));
