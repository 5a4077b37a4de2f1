import type { EntryState } from "../../../lib/polling/model/ledger-entry.ts";

/** The meaning of a reason for which responses are set aside, and who mends it how. */
export interface Meaning {
  meaning: string;
  mend: string;
  /** Whether a redrive helps, once that is done. */
  redrive: boolean;
}

const UNREADABLE: Record<string, Meaning> = {
  "unreadable completed": {
    meaning: "`completed` is neither 0 nor 1: nobody knows whether it is finished.",
    mend: "Tell the operator of the survey service. Once it reads as 1 it goes out by itself; what a newer version can read, by a redrive.",
    redrive: true,
  },
  "unreadable responseId": {
    meaning: "A record that belongs to nobody knows which response, whose event may have gone out without it.",
    mend: "Find its response by hand, by question and date: look at it with --reveal.",
    redrive: false,
  },
};

const REFUSED: Record<string, string> = {
  TooLarge:
    "The event is over 1 MB even without its answers: metrics or metadata of that size are the doing of the service.",
  ValidationException: "EventBridge takes no such entry. Report it: the poller makes none.",
};

const MEND_REFUSED: Record<string, string> = {
  TooLarge: "Switch metrics or metadata off (`enrich`), deploy, then redrive.",
};

/** The meaning of this state with this reason: a code of the bus where it has refused them. */
export function meaningOf(state: EntryState, reason: string): Meaning {
  const known = state === "quarantined" ? UNREADABLE[reason] : undefined;
  if (known !== undefined) return known;
  if (state === "quarantined") {
    return {
      meaning: "It cannot be read as documented.",
      mend: "Deploy a version that can, then redrive.",
      redrive: true,
    };
  }
  const what =
    state === "emitted"
      ? "Its event stands; the bus has refused the one that was to replace it."
      : "The bus has refused its event for good.";
  return {
    meaning: [what, REFUSED[reason]].filter((part) => part !== undefined).join(" "),
    mend: MEND_REFUSED[reason] ?? "Mend the cause (the bus, or a newer version), then redrive.",
    redrive: true,
  };
}
