import { BAD_FRAMES_IN_A_ROW, type Blueprint, CLOSE, PING_INTERVAL_MS, type Socket } from '#plugin-api'

/** The kernel's own settings. */
export type Settings = Blueprint['config']['values']

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
export const closesOf = ({ closes }: Pick<Socket, 'closes'>): Record<number, string> => ({
  ...CLOSES,
  ...closes,
})

/** Describes order, bounds and heartbeats of every socket, as Markdown. */
export const describeRules = ({ http, limits }: Settings): string =>
  `### Rules of every socket

- A frame is a JSON object with a \`type\`, sent as a text frame of at most ${http.body_limit}. Ignore types and fields that you do not know.
- The frames of a connection are handled in the order in which they arrive.
- A frame that cannot be read, or has fields that are not valid, is answered by an \`error\` frame, and the connection stays open. ${BAD_FRAMES_IN_A_ROW} of them in a row close it.
- A connection may send ${limits.frames_per_second} frames a second, and ${limits.frames_burst} at once. An account may have ${limits.sockets} sockets and event streams open.
- The server pings every ${PING_INTERVAL_MS / 1000} seconds and drops a client that is silent for a minute. Browsers answer pings by themselves.
- A refusal comes before the upgrade, as an HTTP reply with the body of every error.`
