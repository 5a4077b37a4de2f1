// The door of the core: whatever is outside lib/polling imports this file and no other of the folder. In the order of the files.

export { leastApart } from "./books.ts";
export { isSingleOnly, isTrusted, mayAnswer } from "./contents.ts";
export {
  concernsWholeSource,
  endsWork,
  failureOf,
  LeaseLostError,
  leaseLost,
  OutOfTimeError,
  StateRefusedError,
} from "./errors.ts";
export { dropBooksRead, readForBooks } from "./full-read.ts";
export { learnedBy } from "./learned.ts";
export { holdLease, PUBLISH_TIMEOUT } from "./lease.ts";
export { type Criteria, classify, isAsked, isBefore } from "./ledger/classify.ts";
export { takeOut, withoutRecords } from "./ledger/kept-records.ts";
export {
  type AccountChanges,
  type AccountState,
  type Outages,
  type Role,
  type RoleLease,
  type RoleNote,
  STORED_ONCE,
  type SurveyRow,
  type TickNote,
} from "./model/account.ts";
export {
  type Books,
  type BooksOpen,
  type DateRange,
  type FullRead,
  isUnreachable,
  newFullRead,
  sayWhyOpen,
  unaccountedOf,
} from "./model/books.ts";
export {
  type CheckedState,
  type DetailKind,
  type EmittedResponse,
  type EntryState,
  emittedOf,
  FORGOTTEN,
  isForRedrive,
  JUDGED_BY,
  type LedgerEntry,
  type PersonKey,
  POLLS,
  WITHOUT_RECORDS,
} from "./model/ledger-entry.ts";
export { personKeys } from "./model/privacy.ts";
export { classOf, completedAt, digestOf, type Run, type RunClass, readRecord, startedAt } from "./model/records.ts";
export {
  earliestString,
  isHistory,
  LISTED_FIELDS,
  type PollingSource,
  type Selection,
  type Start,
  selected,
} from "./model/source.ts";
export { type Lease, NEW_SURVEY, type OutgoingEvent, openTo, placeOf, type SurveyState } from "./model/survey-state.ts";
export type {
  Clock,
  DetailRead,
  LedgerPage,
  Order,
  PageRead,
  Ports,
  Progress,
  Publisher,
  PublishOutcome,
  SealedEvent,
  SentEvent,
  State,
  SurveyService,
  Vault,
} from "./ports.ts";
export { isAnchor } from "./process-page.ts";
export { batchOf, observeSent, publishBatch } from "./publish/bus.ts";
export { enrich } from "./publish/enrich.ts";
export { type ContentsEvent, makeEvent } from "./publish/publish.ts";
export { fromRead } from "./publish/response.ts";
export { tellBooks } from "./publish/tell-books.ts";
export { ReadIds } from "./read-ids.ts";
export { BEYOND, lastOf } from "./scan-head.ts";
export { type Budget, knownOf, type Survey, type SurveyRequest, withSurvey } from "./survey.ts";
export { readSurveyList } from "./survey-list.ts";
export { type BacklogRequest, type BacklogRound, workOffBacklogs } from "./tick/backlogs.ts";
export { tick } from "./tick/tick.ts";
export { checkOwnState, LONGEST_WAIT, pauseOf, type TickRequest } from "./tick/tick-request.ts";
export type { SurveySummary, TickFigures, TickSummary } from "./tick/tick-summary.ts";
export { isFull, PAGE_SIZE, type Page, toPage } from "./walk/page.ts";
export { type ReadEnd, readPages } from "./walk/read-pages.ts";
export { isWhole } from "./walk/whole.ts";
