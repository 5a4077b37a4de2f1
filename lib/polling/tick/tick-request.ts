import { StateRefusedError } from "../errors.ts";
import type { Learned } from "../learned.ts";
import type { AccountState } from "../model/account.ts";
import type { PollingSource } from "../model/source.ts";
import type { PollRequest } from "../poll-survey.ts";
import type { Ports } from "../ports.ts";
import { knownOf } from "../survey.ts";
import type { ListedSurvey } from "../survey-list.ts";

export interface TickRequest {
  ports: Ports;
  source: PollingSource;
  /** Names whoever runs this tick: the holder of its leases. */
  owner: string;
  /** Epoch milliseconds after which nothing new is begun. */
  deadline: number;
  /** Fingerprint of the service's base URL: the state of one service is not used for another. */
  service: string;
  /** Milliseconds for which a tick catches up before it leaves the rest to `workOffBacklogs`. */
  ownTime?: number;
}

/**
 * Makes sure that the state of a source was built from the service that is polled, as ids of one mean nothing to another, and by the same `startFrom`.
 *
 * @throws StateRefusedError
 */
export function checkOwnState(
  { service: known, start, rows }: Pick<AccountState, "service" | "start" | "rows">,
  { source, service }: { source: Pick<PollingSource, "name" | "startFrom">; service: string },
): void {
  if (known !== undefined && known !== service) {
    throw new StateRefusedError(`the state of source "${source.name}" belongs to another survey service`, {
      hint: "Give the new service a source name of its own, or put the old `baseUrl` back.",
    });
  }
  if (start !== undefined && start.from !== source.startFrom) {
    throw new StateRefusedError(`source "${source.name}" has begun with startFrom "${start.from}"`, {
      hint: `Put startFrom: "${start.from}" back. What has completed before goes out by survey-poller backfill.`,
    });
  }
  // A start that is found anew would be a later one: what has completed since would be taken for history.
  if (start === undefined && rows.size > 0) {
    throw new StateRefusedError(`the state of source "${source.name}" has lost its start`, {
      hint: "Restore the whole table, or give the source a new name, with startFrom at the day from which on its responses are wanted.",
    });
  }
}

/** Milliseconds: the longest pause that is waited for within a tick. A longer one ends the tick instead of keeping a paid function asleep. */
export const LONGEST_WAIT = 20_000;

/**
 * Until when (epoch milliseconds) the service is to be left alone, where that outlasts a tick. Undefined when work goes on: the client waits for the end of a short
 * pause of the service.
 */
export function pauseOf(
  { clock }: Pick<Ports, "clock">,
  { pausedUntil = 0, pausedSince }: AccountState,
): number | undefined {
  const left = pausedUntil - clock.now();
  const isShort = pausedSince === undefined && left <= LONGEST_WAIT;
  return isShort || left <= 0 ? undefined : pausedUntil;
}

/** One look at the survey list, and what the polls that follow it share. */
export interface Round {
  request: TickRequest;
  account: AccountState;
  learned: Learned;
  /** Epoch milliseconds. */
  listedAt: number;
}

/** A creation date further ahead is no date: no zone and no clock is so wrong. */
const FURTHEST_AHEAD = 26 * 3_600_000;

/** The request for a poll, but for its work. */
export function requestFor(
  { request: { ports, source, owner, deadline }, account, learned, listedAt }: Round,
  listed: ListedSurvey,
): Omit<PollRequest, "turnUntil"> {
  const { surveyId, counts, created = 0 } = listed;
  return {
    ...{ ports, source, surveyId, owner, deadline, learned, listed, listedAt },
    ...knownOf(account, counts),
    isLater: created > (account.firstTick ?? listedAt) && created <= listedAt + FURTHEST_AHEAD,
    row: account.rows.get(surveyId),
  };
}
