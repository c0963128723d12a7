/** The destination of an answer; `conversation` is the id on the gateway's side. */
export type Target = { channel: string; conversation: string; thread_ts?: string }

/** A message of the bot in Slack's terms. */
export type Posted = { channel: string; ts: string }

/** Returns the id of a conversation: the channel, and the thread if there is one. */
export const toConversationId = (channel: string, thread?: string) =>
  thread ? `${channel}:${thread}` : channel
