export const SECRETS = 2;
export const TICKS = 30 * 24 * 60;
export const MILLION = 1_000_000;
export const GB = 1024 ** 3;
