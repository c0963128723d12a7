import type { ChannelLink } from '#plugin-api'
import { isRefusal, readMigration } from './failure.ts'
import type { Target } from './places.ts'

/** The part of a sending call that says where the message goes. */
interface Address {
  chat_id: number
  message_thread_id?: number
  reply_parameters?: { message_id: number; allow_sending_without_reply: true }
}

/** Makes a sending call; a refused address is corrected, and the call is repeated. */
export type Deliver = <Result>(
  target: Target,
  attempt: (address: Address) => Promise<Result>,
) => Promise<Result>

/** A deleted topic, and one that Telegram can no longer find. */
const LOST_TOPIC = /message thread not\sfound|TOPIC_DELETED|TOPIC_ID_INVALID/i
/** A message to reply to that was deleted, or cannot be replied to. */
const LOST_REPLY = /repl\w+ (?:message )?not\sfound|REPLY_(?:MESSAGE_ID|TO)_INVALID/i

/** Creates the correction of addresses; `link` receives the groups that were replaced by supergroups. */
export function createDelivery(link: Pick<ChannelLink, 'moved' | 'log'>): Deliver {
  /** Reports a replaced group. The message has been sent, so a failure must not repeat it. */
  async function report(from: number, to: number): Promise<void> {
    try {
      await link.moved(String(from), { id: String(to), target: { chat_id: to } })
    } catch (error) {
      link.log.warn({ error }, 'a group that became a supergroup could not be moved')
    }
  }

  return async (target, attempt) => {
    let address = toAddress(target)
    for (;;)
      try {
        const result = await attempt(address)
        if (address.chat_id !== target.chat_id) await report(target.chat_id, address.chat_id)
        return result
      } catch (error) {
        const corrected = correct(address, error, address.chat_id === target.chat_id)
        if (!corrected) throw error
        address = corrected
      }
  }
}

/** Returns the address without the part that Telegram refused; undefined if another address cannot help. */
function correct(
  { chat_id, message_thread_id, reply_parameters }: Address,
  error: unknown,
  mayMove: boolean,
): Address | undefined {
  const migrated = mayMove ? readMigration(error) : undefined
  // A supergroup numbers its messages anew, so the old number would be that of another message.
  if (migrated !== undefined && migrated !== chat_id) return { chat_id: migrated }
  if (message_thread_id !== undefined && isRefusal(error, LOST_TOPIC))
    return { chat_id, ...(reply_parameters && { reply_parameters }) }
  if (reply_parameters && isRefusal(error, LOST_REPLY))
    return { chat_id, ...(message_thread_id !== undefined && { message_thread_id }) }
}

const toAddress = ({ chat_id, thread_id, reply_to }: Target): Address => ({
  chat_id,
  ...(thread_id !== undefined && { message_thread_id: thread_id }),
  ...(reply_to !== undefined && {
    reply_parameters: { message_id: reply_to, allow_sending_without_reply: true },
  }),
})
