/** The work that only one invocation of a source does at a time (R25). So two invocations are at work at most. */
export type Role = "tick" | "catch-up";

/** A note of a tick that came to its end, for the next one. Epoch milliseconds. */
export interface TickNote {
  /** When it began to poll. */
  lastTick?: number;
  /** When the survey list was read last. */
  listedAt?: number;
  /** Surveys that are to be polled by their ids, and that this list did not show; absent where there are none. */
  unlisted?: number[] | undefined;
}

/** A note of the last holder of a role, for the next one. */
export interface RoleNote extends TickNote {
  /** Of the catch-up: the survey that had its turn last. */
  lastSurvey?: number;
}

/** The right to a role of a source. */
export interface RoleLease {
  role: Role;
  owner: string;
  fence: number;
  /** Epoch milliseconds. */
  until: number;
  /** Written when the role is given back. */
  note: RoleNote;
}
