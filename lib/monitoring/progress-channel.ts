import { channel } from "node:diagnostics_channel";

/** The progress that the polling core tells of; of no cost while nobody listens. Messages are `Progress` with the source's name. */
export const progressChannel = channel("survey-poller:progress");
