import { channel } from "node:diagnostics_channel";

/** What the polling core tells of its work; of no cost while nobody listens. Messages are `Progress` with the source's name. */
export const progressChannel = channel("survey-poller:progress");
