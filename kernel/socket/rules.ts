/** Close codes of our own and of RFC 6455. */
export const CLOSE = {
  goingAway: 1001,
  badFrames: 1008,
  failed: 1011,
  tooSlow: 1013,
  sessionEnded: 4401,
} as const

/** The number of unreadable frames in a row that closes a connection. */
export const BAD_FRAMES_IN_A_ROW = 20

/** The interval between two pings of a socket or two comments of a stream, in milliseconds. */
export const PING_INTERVAL_MS = 25_000
