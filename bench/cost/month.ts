/** Empty long polls of the work queue, by which Lambda waits for messages: five at a time, twenty seconds each. */
export const POLLS_OF_QUEUE = (5 * 30 * 86_400) / 20;
export const SECRETS = 2;
export const TICKS = 30 * 24 * 60;
export const MILLION = 1_000_000;
export const GB = 1024 ** 3;
