import { isInterrupted } from "../errors.ts";
import { learnedBy, newlyLearned } from "../learned.ts";
import { inRole, type RoleHolder } from "../lease.ts";
import type { AccountChanges } from "../model/account.ts";
import { selected } from "../model/source.ts";
import type { Ports } from "../ports.ts";
import { outagesOf } from "../publish/outage.ts";
import { isGone, surveysOf, unlistedOf } from "../survey-list.ts";
import { findStart } from "./find-start.ts";
import { counted, Polls } from "./polls.ts";
import { dueTasks } from "./schedule.ts";
import { checkOwnState, pauseOf, type TickRequest } from "./tick-request.ts";
import { figuresOf, idleTick, summarize, type TickSummary } from "./tick-summary.ts";

/** Share of the requests made for news that slow work may make on top of its own budget. */
const EARNED_BY_NEWS = 0.2;

/** One scheduled run over a source: one look at the survey list, then a poll of each survey that is due. One invocation does it at a time. */
export async function tick(request: TickRequest): Promise<TickSummary> {
  const summary = await inRole("tick", request, (holder) => tickInRole(request, holder));
  return summary ?? idleTick(request.source, { isBusy: true });
}

async function tickInRole(request: TickRequest, holder: RoleHolder): Promise<TickSummary> {
  const { source, service } = request;
  const { state, observe, clock } = request.ports;
  const account = await state.account();
  observe({ kind: "account", account });
  checkOwnState(account, request);
  const pausedUntil = pauseOf(request.ports, account);
  if (pausedUntil !== undefined) {
    const { pausedSince } = account;
    observe({ kind: "paused", until: pausedUntil, since: pausedSince });
    return idleTick(source, { pausedUntil, ...(pausedSince === undefined ? {} : { pausedSince }) });
  }
  let requests = 0;
  const count = (): void => {
    requests += 1;
  };
  const { service: news, backlog = news } = request.ports;
  const ports: Ports = { ...request.ports, service: counted(news, count), backlog: counted(backlog, count) };
  const { listed, unreadable, failure } = await surveysOf(ports, source, account);
  const now = clock.now();
  if (account.firstTick === undefined) {
    await state.saveAccount({ service, firstTick: now });
    account.firstTick = now;
  }
  if ((await findStart({ ...request, ports }, account, listed)) === undefined) {
    holder.lease.note = { ...holder.lease.note, lastTick: now, listedAt: now };
    return idleTick(source, { listed: listed.length, awaitsStart: true });
  }
  const { news: due } = dueTasks(listed, account.rows, now);
  const here = listed.filter((survey) => !isGone(survey));
  observe({ kind: "surveys", listed: here.length, due: due.length });

  const learned = learnedBy(account);
  const polls = new Polls({ request: { ...request, ports }, account, learned, listedAt: now }, holder);
  const before = requests;
  await polls.pollNews(due);
  const earned = (requests - before) * EARNED_BY_NEWS;
  const budget = source.backgroundRequests + earned - (account.overdrawn ?? 0);
  // What the news came to is in the rows by now.
  const left = await polls.doRest(dueTasks(listed, account.rows, now).rest, budget);

  const { outcomes } = polls;
  const overdrawn = Math.max(0, -left);
  const changes: AccountChanges = {
    ...(account.service === service ? {} : { service }),
    ...newlyLearned(learned),
    ...(overdrawn === (account.overdrawn ?? 0) ? {} : { overdrawn }),
  };
  if (Object.keys(changes).length > 0) await state.saveAccount(changes);
  const unlisted = unlistedOf(listed, source);
  const seen = failure === undefined ? { listedAt: now, unlisted } : {};
  holder.lease.note = { ...holder.lease.note, lastTick: now, ...seen };
  if (failure !== undefined) throw failure;
  // That the time was up is no failure: the next tick goes on.
  if (polls.ended !== undefined && !isInterrupted(polls.ended)) throw polls.ended;
  return {
    source: source.name,
    listed: listed.length,
    ...(unreadable === 0 ? {} : { unreadableSurveys: unreadable }),
    ...(unlisted === undefined ? {} : { unlisted }),
    surveys: [...outcomes].map(([surveyId, outcome]) => summarize(surveyId, outcome)),
    unpolled: due.filter(({ surveyId }) => !outcomes.has(surveyId)).length,
    behind: [...account.rows].filter(([id, { isBehind }]) => isBehind === true && selected(id, source.surveys)).length,
    outages: outagesOf({ learned, source, ports }),
    figures: figuresOf(
      [...outcomes.values()],
      here.flatMap(({ surveyId }) => account.rows.get(surveyId) ?? []),
      { now: clock.now(), overdrawn },
    ),
  };
}
