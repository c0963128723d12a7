import type { KernelConfig } from '../config/config-schema.ts'
import type { SocketSpec } from '../contract/socket.ts'

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

/** The close codes of every socket. */
const CLOSES = {
  [CLOSE.goingAway]: 'The server is shutting down.',
  1002: 'The client broke the WebSocket protocol.',
  1007: 'A text frame was not valid UTF-8.',
  [CLOSE.badFrames]: `The client sent too many frames, or ${BAD_FRAMES_IN_A_ROW} bad frames in a row, or may no longer use this socket.`,
  1009: 'A frame was too large.',
  [CLOSE.failed]: 'The connection could not be opened because of an error.',
  [CLOSE.tooSlow]: 'The client reads too slowly.',
  [CLOSE.sessionEnded]: 'The session has ended, or the account may no longer do this.',
}

/** Returns a sentence for each code with which a socket may be closed. */
export const closesOf = ({ closes }: Pick<SocketSpec, 'closes'>): Record<number, string> => ({
  ...CLOSES,
  ...closes,
})

/** Describes order, bounds and signs of life of every socket, as Markdown. */
export const describeRules = ({ http, limits }: Pick<KernelConfig, 'http' | 'limits'>): string =>
  `### Rules of every socket

- A frame is a JSON object with a \`type\`, sent as a text frame of at most ${http.body_limit}. Ignore types and fields that you do not know.
- The frames of a connection are handled in the order in which they arrive.
- A frame that cannot be read, or has fields that are not valid, is answered by an \`error\` frame, and the connection stays open. ${BAD_FRAMES_IN_A_ROW} of them in a row close it.
- A connection may send ${limits.frames_per_second} frames a second, and ${limits.frames_burst} at once. An account may have ${limits.sockets} sockets and event streams open.
- The server pings every ${PING_INTERVAL_MS / 1000} seconds and drops a client that is silent for a minute. Browsers answer pings by themselves.
- A refusal comes before the upgrade, as an HTTP reply with the body of every error.`
