/** Where an answer goes; `conversation` is the id that the agent's side knows. */
export type Target = { channel: string; conversation: string; thread_ts?: string }

/** A message of the bot, as Slack names it. */
export type Posted = { channel: string; ts: string }

/** A conversation's id: the channel, and the thread where there is one. */
export const conversationOf = (channel: string, thread?: string) =>
  thread ? `${channel}:${thread}` : channel
