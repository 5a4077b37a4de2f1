import { Command } from "@commander-js/extra-typings";
import { examples, type Verb } from "../../verb.ts";
import { testVerb } from "./test.ts";

const SUMMARY = "webhooks: tries one";

export const webhookVerb: Verb = (act) =>
  new Command("webhook")
    .summary(SUMMARY)
    .description(SUMMARY)
    .addCommand(testVerb(act))
    .addHelpText("after", examples("webhook test crm --stack SurveyPoller --yes"));
