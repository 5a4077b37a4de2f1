import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { parseDuration } from "../../lib/config/units.ts";
import type { TargetOptions } from "../target/data-folders.ts";

export interface HearingOptions extends TargetOptions {
  filter?: string | undefined;
  for?: number | undefined;
  count?: number | undefined;
}

export const filterOption = () => new Option("--filter <pattern>", "which events: an event pattern as JSON, or pairs");

export const forOption = () =>
  new Option("--for <duration>", "how long, such as 10m; by default until Ctrl-C").argParser((text) => {
    const duration = parseDuration(text);
    if (duration !== undefined && duration >= 1_000) return duration;
    throw new InvalidArgumentError("it takes a duration from 1s, such as 10m.");
  });

export const countOption = () =>
  new Option("--count <n>", "end after so many events").argParser((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new InvalidArgumentError("it takes a whole number from 1.");
  });
