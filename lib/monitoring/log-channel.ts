import { channel } from "node:diagnostics_channel";

/**
 * Every line of the log as an object, from the level of its source on. It is for a process that keeps the log elsewhere than on standard
 * output. It costs nothing while nobody listens. Lines have the fields that they have in CloudWatch Logs.
 */
export const logChannel = channel("survey-poller:log");
